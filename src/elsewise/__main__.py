"""Run the command line: ``python -m elsewise``."""

import sys

from .tools.cli import main

sys.exit(main())
