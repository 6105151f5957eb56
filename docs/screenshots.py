"""Pictures of the explorer and of a report: ``python docs/screenshots.py`` writes them to docs/images.

Needs Playwright and a Chromium (CHROMIUM names it, /usr/bin/chromium by default). The rows are those of the pages.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.request import urlopen

from pages import DOCS, blocks, working_directory
from playwright.sync_api import Browser, sync_playwright

PORT = 8399


def prepare(folder: Path) -> None:
    """Run the pages' code: it leaves an explainer, rows and a report in the folder."""
    with working_directory(folder):
        for name in ("explorer", "report"):
            namespace: dict[str, object] = {}
            for block in blocks((DOCS / f"{name}.md").read_text(encoding="utf-8")):
                if block.language == "python" and block.is_run and "httpx" not in block.text:
                    exec(block.text, namespace)
            if name == "explorer":
                exec("import elsewise as ew\new.Explainer(model).fit(patients, risk).save('patients.ew')", namespace)
                exec("patients.loc[[268]].to_csv('rows.csv', index=False)", namespace)


def shoot(browser: Browser, address: str, name: str, height: int) -> None:
    """Save what a page shows at first sight, or at the place that the address names."""
    page = browser.new_page(viewport={"width": 1200, "height": height}, device_scale_factor=1)
    page.goto(address)
    page.wait_for_timeout(2000)  # for the answer and the frontier
    page.screenshot(path=DOCS / "images" / name)


def main() -> None:
    """Prepare, serve, and take the pictures."""
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        prepare(folder)
        command = [sys.executable, "-m", "elsewise", "serve", "--explainer", "patients.ew", "--data", "rows.csv"]
        command += ["--title", "A patient at high risk", "--target", "low", "--port", str(PORT), "--no-browser"]
        server = subprocess.Popen(command, cwd=folder)
        try:
            for _ in range(600):
                try:
                    urlopen(f"http://127.0.0.1:{PORT}/").close()
                    break
                except OSError:
                    time.sleep(0.2)
            browser = playwright.chromium.launch(
                executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"), args=["--no-sandbox"]
            )
            shoot(browser, f"http://127.0.0.1:{PORT}/", "explorer.png", 940)
            shoot(browser, (folder / "patients.html").as_uri(), "report.png", 640)
            shoot(browser, (folder / "patients.html").as_uri() + "#rows", "report-rows.png", 900)
            browser.close()
        finally:
            server.terminate()
            server.wait(timeout=20)


if __name__ == "__main__":
    main()
