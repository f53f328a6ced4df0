"""axe-core, which looks for what keeps people with a keyboard or a screen reader out.

It comes with the package axe-playwright-python of PyPI, of which nothing else is used.
"""

import glob
import os
import subprocess
import sys
import zipfile

from browser import Failure

VERSION = "0.1.8"


def text(folder):
    """The script; nothing where it is not to be had."""
    kept = os.path.join(folder, f"axe-{VERSION}.js")
    if not os.path.exists(kept):
        os.makedirs(folder, exist_ok=True)
        done = subprocess.run(
            [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, f"axe-playwright-python=={VERSION}"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
        )
        wheels = glob.glob(os.path.join(folder, "axe_playwright_python-*.whl"))
        if done.returncode or not wheels:
            return None
        with zipfile.ZipFile(wheels[0]) as wheel, open(kept, "wb") as file:
            file.write(wheel.read("axe_playwright_python/axe.min.js"))
    with open(kept, encoding="utf-8") as file:
        return file.read()


def look(browser, script):
    """Throws what it finds on the page that is open."""
    browser.run(script)
    found = browser.run_async(
        "const done = arguments[0]; axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa',"
        " 'best-practice']}).then(each => done(each.violations.map(one => `${one.id}: ${one.help}: "
        "${one.nodes.map(node => node.html.slice(0, 160) + ' ' + (node.any[0]?.message ?? '')).slice(0, 3).join(' | ')}`)), "
        "error => done([String(error)]))"
    )
    if found:
        raise Failure("axe finds\n    " + "\n    ".join(found))
