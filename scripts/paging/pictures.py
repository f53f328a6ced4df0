"""Takes the pictures of the README and of the documentation: the inspector with a refund, and a chart, light and dark.

    pictures.py SERVE FOLDER

SERVE is moonlatch-serve. The pictures are written into FOLDER as `NAME.png` and `NAME~dark.png`, which is how DocC names the
two.
"""

import base64
import os
import subprocess
import sys

from browser import Browser
from served import Served

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MOST_BYTES = 100_000


def example(name):
    return os.path.join(ROOT, "examples", name, name + ".lua")


def settled(browser):
    browser.wait("return document.querySelectorAll('#rows .row').length && document.querySelector('#live.on')")
    browser.wait("return new Promise(done => setTimeout(() => requestAnimationFrame(() => done(true)), 400))")


def refund(served):
    """A refund that needed a manager."""
    served.dispatch("request", {"amount": 60})
    served.dispatch("approve", {"by": "clerk"})
    served.dispatch("approve", {"by": "manager"})


def review(served):
    """A document of which one department has approved."""
    served.dispatch("edit", {"text": "a contract"})
    served.dispatch("submit")
    served.dispatch("approve", {"role": "legal"})


def ask_for_too_much(browser):
    """The form is filled with more than is left, and sent all the same: the refusal and its reason stand on the page then."""
    browser.run("[...document.querySelectorAll('.actions button')].find(each => each.innerText.startsWith('request')).click()")
    browser.run("const field = document.querySelector('#actions form input'); field.focus(); field.select()")
    browser.type("60")
    browser.wait("return document.querySelector('.verdict')?.innerText.includes('only 40 is left')")
    browser.run("document.querySelector('form .check input').click()")
    browser.run("document.querySelector('form button.main').click()")
    browser.wait("return document.querySelector('#rows .row.refused')?.innerText.includes('60')")
    browser.run("document.querySelector('#rows .row.refused').click(); document.activeElement.blur()")
    settled(browser)


def photograph(browser, path, selector=None):
    """The page, or an element of it at twice its size."""
    options = {}
    if selector:
        box = browser.run("const box = document.querySelector(arguments[0]).getBoundingClientRect();"
                          "return [box.x, box.y, box.width, box.height]", selector)
        options = {"clip": {**dict(zip(("x", "y", "width", "height"), box)), "scale": 2}}
    taken = browser.tell("Page.captureScreenshot", format="png", **options)
    with open(path, "wb") as file:
        file.write(base64.b64decode(taken["data"]))
    # Pages have few colours: a palette holds them.
    subprocess.run(["pngquant", "--force", "--strip", "--speed", "1", "--output", path, "128", path], check=True)
    size = os.path.getsize(path)
    print(f"{os.path.basename(path)}  {size} bytes")
    if size > MOST_BYTES:
        sys.exit(f"{path} has more than {MOST_BYTES} bytes")


def main():
    serve, folder = sys.argv[1:]
    browser = Browser()
    try:
        for dark, ending in [(False, ".png"), (True, "~dark.png")]:
            with Served(serve, example("refund")) as served:
                refund(served)
                browser.resize(1000, 840, dark=dark, calm=True)
                browser.open(served.address)
                settled(browser)
                ask_for_too_much(browser)
                photograph(browser, os.path.join(folder, "inspector" + ending))
            with Served(serve, example("approval")) as served:
                review(served)
                browser.resize(1440, 900, dark=dark, calm=True)
                browser.open(served.address)
                settled(browser)
                photograph(browser, os.path.join(folder, "chart" + ending), "#machines .chart")
    finally:
        browser.close()


main()
