"""Pictures of the explorer and of a report: ``python docs/screenshots.py`` writes them to docs/images.

Each holds the text of its page, which the tests compare.

Needs Playwright and a Chromium (CHROMIUM names it, /usr/bin/chromium by default). The rows are those of the pages.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.request import urlopen

from pages import DOCS, DRAWN, N_COLOURS, blocks, working_directory
from PIL import Image
from PIL.PngImagePlugin import PngInfo
from playwright.sync_api import Browser, sync_playwright

PORT = 8399
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
# The day and the programs that made a report: other ones every time.
_MADE = re.compile(r"^Made .*$", flags=re.MULTILINE)


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


def shoot(browser: Browser, address: str, picture: Path, height: int) -> None:
    """Save what a page shows at first sight, or at the place that the address names."""
    page = browser.new_page(viewport={"width": 1200, "height": height}, device_scale_factor=1)
    page.goto(address)
    if address.startswith("http"):
        page.wait_for_selector("#map svg")
        page.wait_for_selector("#cards-list .card")
        page.wait_for_selector("#frontier .point")
    page.wait_for_timeout(1000)
    page.screenshot(path=picture)
    text = PngInfo()
    text.add_itxt(DRAWN, _MADE.sub("Made.", page.inner_text("body")))
    with Image.open(picture) as image:
        image.convert("RGB").quantize(N_COLOURS).save(picture, optimize=True, pnginfo=text)


def take(images: Path) -> None:
    """Prepare, serve, and take the pictures into a folder."""
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
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            shoot(browser, f"http://127.0.0.1:{PORT}/", images / "explorer.png", 940)
            shoot(browser, (folder / "patients.html").as_uri(), images / "report.png", 640)
            shoot(browser, (folder / "patients.html").as_uri() + "#rows", images / "report-rows.png", 900)
            browser.close()
        finally:
            server.terminate()
            server.wait(timeout=20)


if __name__ == "__main__":
    take(DOCS / "images")
