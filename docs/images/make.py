"""Takes a picture of every dashboard page, light and dark, and checks the pages with axe-core.

    pip install playwright axe-playwright-python pillow
    python docs/images/make.py [HADAL [PORT]]

Needs the program hadal and Chromium. The demo of the simulated web fills the store, so that pictures can be compared.
Exits with 1 if axe-core reports a serious or critical violation.
"""

import io
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request

from axe_playwright_python.sync_playwright import Axe
from PIL import Image
from playwright.sync_api import sync_playwright

PAGES = {
    "run": "/",
    "runs": "/runs",
    "start": "/start",
    "topics": "/topics",
    "directory": "/directory",
    "sites": "/sites",
    "harvest": "/harvests",
    "records": "/records",
    "submissions": "/submissions",
    "ask": "/ask",
    "glossary": "/glossary",
}
SIZE = {"width": 1200, "height": 900}
COLOURS = 64  # of a picture, so that it stays small


def main() -> int:
    hadal = sys.argv[1] if len(sys.argv) > 1 else "hadal"
    address = f"127.0.0.1:{sys.argv[2] if len(sys.argv) > 2 else 8899}"
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([hadal, "demo"], cwd=folder, check=True, stdin=subprocess.DEVNULL, capture_output=True)
        server = subprocess.Popen([hadal, "serve", "--listen", address], cwd=folder, stderr=subprocess.DEVNULL)
        try:
            wait_for(f"http://{address}/")
            return take_pictures(f"http://{address}")
        finally:
            server.terminate()


def wait_for(url: str) -> None:
    for _ in range(60):
        try:
            urllib.request.urlopen(url)
            return
        except OSError:
            time.sleep(1)
    raise SystemExit(f"{url} does not answer")


def take_pictures(start: str) -> int:
    bad = 0
    with sync_playwright() as playwright:
        program = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        for scheme in ("light", "dark"):
            page = browser.new_page(viewport=SIZE, color_scheme=scheme)
            for name, path in PAGES.items():
                page.goto(start + path)
                page.wait_for_timeout(2500)
                save(page.screenshot(), f"{name}-{scheme}")
                bad += check(page, f"{name}-{scheme}")
        browser.close()
    print(f"{bad} serious or critical violations")
    return 1 if bad else 0


def save(picture: bytes, name: str) -> None:
    file = pathlib.Path(__file__).parent / f"{name}.png"
    image = Image.open(io.BytesIO(picture)).convert("RGB").quantize(COLOURS)
    image.save(file, optimize=True)


def check(page, name: str) -> int:
    violations = Axe().run(page).response["violations"]
    bad = [found for found in violations if found["impact"] in ("serious", "critical")]
    for found in bad:
        print(f"{name}: {found['id']}: {found['help']} ({len(found['nodes'])} elements)")
    return len(bad)


if __name__ == "__main__":
    sys.exit(main())
