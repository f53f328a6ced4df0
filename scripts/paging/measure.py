"""Measures the inspector with a case of many entries in a journal's file.

    measure.py SERVE [--entries N] [--check]

Prints how long it takes from the beginning of the page's loading until its newest lines are painted, until all lines are
there, and from the moment before a dispatch is sent by somebody else until it stands on the page.
"""

import argparse
import json
import os
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time

from browser import Browser
from served import Served

HERE = os.path.dirname(os.path.abspath(__file__))
SHOP = os.path.join(HERE, "shop.lua")
TARGETS = {"first paint": 1000, "a dispatch on the page": 100}


def fill(program, journal, entries):
    """A case with that many entries, written by a server whose answers survive the process alone."""
    process = subprocess.Popen(
        [program, "serve", SHOP, "--journal", journal, "--quick", "--port", "0"], stdout=subprocess.PIPE, text=True
    )
    found = {}
    for line in process.stdout:
        port, token = re.search(r"served at http://127\.0\.0\.1:(\d+)", line), re.search(r"token of this run is (\w+)", line)
        if port:
            found["port"] = int(port.group(1))
        if token:
            found["token"] = token.group(1)
        if "openapi" in line:
            break
    head = f"Host: 127.0.0.1:{found['port']}\r\nAuthorization: Bearer {found['token']}\r\nContent-Type: application/json\r\n"

    def request(path, body):
        return f"POST {path} HTTP/1.1\r\n{head}Content-Length: {len(body)}\r\n\r\n{body}".encode()

    with socket.create_connection(("127.0.0.1", found["port"])) as connection:
        answers = connection.makefile("rb")

        def read():
            status = answers.readline()
            length = 0
            while True:
                line = answers.readline().strip().lower()
                if not line:
                    break
                if line.startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            answers.read(length)
            if not status.split()[1].startswith(b"2"):
                raise RuntimeError(status)

        connection.sendall(request("/cases/long", "{}"))
        read()
        done = 1
        while done < entries:
            count = min(64, entries - done)
            texts = [json.dumps({"text": f"number {done + each}"}) for each in range(count)]
            connection.sendall(b"".join(request("/cases/long/actions/say", text) for text in texts))
            for _ in range(count):
                read()
            done += count
    process.terminate()
    process.wait()


def measure(served, browser, entries):
    found = {}
    paints, completes = [], []
    for _ in range(5):
        browser.open(served.of("long"))
        browser.wait("return performance.getEntriesByName('painted').length && document.querySelector('#rows .row')", seconds=60)
        paints.append(browser.run("return performance.getEntriesByName('painted')[0].startTime"))
        browser.wait("return performance.getEntriesByName('complete').length", seconds=120)
        completes.append(browser.run("return performance.getEntriesByName('complete')[0].startTime"))
    found["first paint"] = statistics.median(paints)
    found["all lines there"] = statistics.median(completes)
    shown = browser.run("return document.querySelector('.legend').innerText")
    if str(entries)[:3] not in shown.replace(",", ""):
        raise RuntimeError(f"not all lines are there: {shown}")
    found["lines in the document"] = browser.run("return document.querySelectorAll('#rows .row').length")
    found["megabytes of the page"] = browser.run("return performance.memory ? performance.memory.usedJSHeapSize / 1e6 : 0")
    found["a jump through the list"] = statistics.median([
        browser.run(
            "const list = document.getElementById('rows'); const begin = performance.now();"
            f"list.scrollTop = list.scrollHeight * {each / 10}; list.onscroll(); list.getBoundingClientRect(); return performance.now() - begin")
        for each in range(1, 10)
    ])
    for name in ["a first look at the middle", "a second look, near it"]:
        begin = time.time() * 1000
        at = entries // 2 + (name.startswith("a second")) * 7
        browser.run("const one = document.querySelector('#travel input'); one.value = arguments[0]; one.oninput()", str(at))
        browser.wait("return document.getElementById('detail').innerText.includes(`number ${arguments[0]}`)", str(at - 1), seconds=120)
        found[name] = time.time() * 1000 - begin
    browser.run("[...document.querySelectorAll('#travel button')].find(each => each.innerText === 'Now').click()")
    browser.run(
        "window.seen = {}; document.getElementById('rows').scrollTop = 0; new MutationObserver(() => {"
        "for (const each of document.querySelectorAll('#rows .payload')) {"
        " const number = each.innerText.match(/told (\\d+)/); if (number) window.seen[number[1]] ??= performance.timeOrigin + performance.now(); }"
        "}).observe(document.getElementById('rows'), {childList: true})")
    delays = []
    for number in range(60):
        begin = time.time() * 1000
        served.dispatch("say", {"text": f"told {number}"}, "long")
        seen = browser.wait("return window.seen[arguments[0]]", str(number))
        delays.append(seen - begin)
        time.sleep(0.02)
    found["a dispatch on the page"] = statistics.median(delays)
    found["the slowest of 60"] = max(delays)
    return found


def main():
    reader = argparse.ArgumentParser()
    reader.add_argument("serve")
    reader.add_argument("--entries", type=int, default=100_000)
    reader.add_argument("--check", action="store_true")
    asked = reader.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        journal = os.path.join(folder, "long.db")
        fill(asked.serve, journal, asked.entries)
        browser = Browser()
        try:
            with Served(asked.serve, SHOP, "--journal", journal) as served:
                found = measure(served, browser, asked.entries)
        finally:
            browser.close()
    print(f"The inspector with a case of {asked.entries:,} entries, in a journal's file")
    missed = []
    for name, value in found.items():
        unit = "" if name.startswith("lines") else "MB" if name.startswith("mega") else "ms"
        target = TARGETS.get(name)
        word = "" if target is None else f"   at most {target} ms: " + ("kept" if value <= target else "MISSED")
        if target is not None and value > target:
            missed.append(name)
        print(f"  {name:26} {value:10.1f} {unit:2}{word}")
    sys.exit(1 if missed and asked.check else 0)


main()
