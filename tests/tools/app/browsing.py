"""Chromium of the system, driven by Playwright; nothing is downloaded."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

# Moves the slider to a place, waits until the answer to it is on the page, and gives the milliseconds between.
MOVE = """(value) => new Promise((resolve, reject) => {
  const slider = document.getElementById("quantile");
  const shown = (event) => {
    if (Math.abs(event.detail.quantile - value) > 1e-9) return;
    document.removeEventListener("answered", shown);
    resolve(performance.now() - started);
  };
  document.addEventListener("answered", shown);
  setTimeout(() => reject(new Error("no answer on the page")), 20000);
  const started = performance.now();
  slider.value = String(value);
  slider.dispatchEvent(new Event("input", { bubbles: true }));
})"""


@contextmanager
def chromium() -> Iterator[Any]:
    """Open the system's Chromium, or skip visibly."""
    playwright = pytest.importorskip("playwright.sync_api", reason="browser tests need playwright")
    path = os.environ.get("ELSEWISE_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.skip("no Chromium on this system: install its package, or set ELSEWISE_CHROMIUM")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=path, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def page_of(browser: Any, address: str, **options: Any) -> Iterator[Any]:
    """Open a page and wait for its first answer; anything the page complains about fails the test."""
    context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
    page = context.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    elsewhere: list[str] = []
    page.on("request", lambda request: elsewhere.append(request.url))
    try:
        page.goto(address)
        page.wait_for_selector("#badge:not(:empty)")
        page.wait_for_selector("#frontier-figure:not(.stale)")
        yield page
        assert complaints == []
        host = address.split("#")[0].rstrip("/")
        assert all(url.startswith((host, "data:", "blob:")) for url in elsewhere), "the page asks elsewhere"
    finally:
        context.close()
