"""Report: what an auditor reads, one HTML file that needs no network, no server and no script to be read.

No answer is computed. What the answers promise is checked again while the report is written, and it says what came of
that.
"""

from .check import Checked
from .document import html_report, write_report

__all__ = ["Checked", "html_report", "write_report"]
