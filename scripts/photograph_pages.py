"""Photograph the page for the docs: `.venv/bin/python scripts/photograph_pages.py` writes docs/how-to/images/.

Needs a Chromium on the machine, and `pip install -e '.[test]'`.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

IMAGES = Path(__file__).parent.parent / "docs" / "how-to" / "images"
PAGES = {
    "plan": ("/federations/arizona-hospitals/plan?seconds=60", "plan"),
    "game": ("/federations/alice-bob/game", "equilibria"),
}


def photograph(browser: Browser, address: str, name: str) -> None:
    """Write what a page shows first."""
    path, part = PAGES[name]
    page = browser.new_page(viewport={"width": 1200, "height": 860}, device_scale_factor=1)
    page.goto(address.rstrip("/") + path)
    page.wait_for_selector(f"#part-{part}[data-state=done]:not([data-is-draft])", timeout=200_000)
    page.wait_for_selector("[data-job]", state="detached", timeout=200_000)
    page.screenshot(path=IMAGES / f"{name}.png")


def main() -> None:
    """Serve, open every page, write it."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "fedpact", "serve", "--port", "0", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server, sync_playwright() as tool:
        assert server.stdout is not None
        address = json.loads(server.stdout.readline())["address"]
        browser = tool.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for name in PAGES:
            photograph(browser, address, name)
        browser.close()
        server.terminate()


if __name__ == "__main__":
    main()
