"""From a slider move to the new answer on the page, measured in a real browser.

    python -m benchmarks.slider [--german german_credit.csv] [--moves 50]

The server is a process of its own, ``elsewise serve``; the browser is the system's Chromium, driven by Playwright. A
time runs from the slider's input event to the moment the page's elements show the new answer, over moves to quantiles
not asked before. Medians must stay under 100 ms for breast cancer and 250 ms for German credit and digits.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import socket
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

from .load_test import wait_for
from .measure import RESULTS, write

_LIMITS = {"breast_cancer": 100.0, "digits": 250.0, "german": 250.0}

_MOVE = """(value) => new Promise((resolve) => {
  const slider = document.getElementById("quantile");
  const shown = (event) => {
    if (Math.abs(event.detail.quantile - value) > 1e-9) return;
    document.removeEventListener("answered", shown);
    resolve(performance.now() - started);
  };
  document.addEventListener("answered", shown);
  const started = performance.now();
  slider.value = String(value);
  slider.dispatchEvent(new Event("input", { bubbles: true }));
})"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--german", type=Path, help="CSV file of the German credit data; left out without it")
    parser.add_argument("--moves", type=int, default=50)
    parser.add_argument("--chromium", default=shutil.which("chromium") or shutil.which("chromium-browser"))
    parser.add_argument("--out", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    if arguments.chromium is None:
        raise SystemExit("No Chromium on this system: install its package, or say where it is with --chromium.")
    from playwright.sync_api import sync_playwright

    demos = ["breast_cancer", "digits", *(["german"] if arguments.german else [])]
    rows = []
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=arguments.chromium, args=["--no-sandbox"])
        for name in demos:
            times = sorted(_times(browser, name, arguments))
            rows.append(
                {
                    "data": name,
                    "moves": len(times),
                    "median ms": statistics.median(times),
                    "90 % ms": times[int(0.9 * len(times))],
                    "largest ms": times[-1],
                    "limit for the median ms": _LIMITS[name],
                }
            )
        version = browser.version
        browser.close()
    notes = [f"Chromium {version}, server and browser on the same machine, one thread for numerical libraries."]
    write("slider", "Slider moves in the browser", {"From input event to new answer": rows}, notes, arguments.out)
    return int(any(row["median ms"] >= row["limit for the median ms"] for row in rows))


def _times(browser: Any, name: str, arguments: argparse.Namespace) -> list[float]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    demo = [name, *([str(arguments.german)] if name == "german" else [])]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    server = subprocess.Popen(
        [sys.executable, "-m", "elsewise", "serve", "--demo", *demo, "--no-browser", "--port", str(port)],
        env=environment,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for(port)
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.goto(f"http://127.0.0.1:{port}/")
        page.wait_for_selector("#badge:not(:empty)")
        page.wait_for_timeout(2000)  # the first frontier
        places = [round(place / 100, 2) for place in range(2, 98) if place % 5]
        random.Random(0).shuffle(places)
        times = []
        for place in places[: arguments.moves]:
            times.append(page.evaluate(_MOVE, place))
            page.wait_for_timeout(20)
        page.close()
        return times
    finally:
        server.terminate()
        server.wait(timeout=10)


if __name__ == "__main__":
    sys.exit(main())
