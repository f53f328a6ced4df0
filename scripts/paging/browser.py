"""A headless Chromium, driven through WebDriver: what its own driver takes as HTTP, and nothing installed for it."""

import base64
import json
import subprocess
import time
import urllib.error
import urllib.request


class Failure(Exception):
    pass


class Browser:
    """One window; `resize` says how large it is, and of which colours."""

    def __init__(self):
        self.driver = subprocess.Popen(
            ["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self.port = None
        for line in self.driver.stdout:
            if "started successfully on port" in line:
                self.port = int(line.rsplit("port ", 1)[1].strip(" .\n"))
                break
        options = {
            "args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--lang=en"],
            "binary": "/usr/bin/chromium",
        }
        wanted = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        self.session = ""
        self.session = "/session/" + self.ask("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]
        self.resize()

    def ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{self.session}{path}", data, {"Content-Type": "application/json"}, method=method
        )
        try:
            with urllib.request.urlopen(request, timeout=90) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise Failure(json.load(error)["value"]["message"][:800]) from None

    def tell(self, command, **parameters):
        """A command of the DevTools protocol."""
        return self.ask("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def resize(self, width=1440, height=900, dark=False, calm=False):
        self.tell("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500)
        features = [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce" if calm else "no-preference"},
        ]
        self.tell("Emulation.setEmulatedMedia", features=features)

    def open(self, address):
        # A fragment alone would not load anything.
        self.ask("POST", "/url", {"url": "about:blank"})
        self.ask("POST", "/url", {"url": address})

    def run(self, script, *arguments):
        return self.ask("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def wait(self, script, *arguments, seconds=60):
        """Runs a script again and again until it gives something."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            found = self.run(script, *arguments)
            if found:
                return found
            time.sleep(0.03)
        raise Failure(f"this did not come within {seconds} s: {script}")

    def run_async(self, script, *arguments):
        """A script that is given a function to answer with as its last argument."""
        return self.ask("POST", "/execute/async", {"script": script, "args": list(arguments)})

    def press(self, *keys):
        """Keys, one after the other, to what has the focus."""
        codes = {"Tab": 9, "Enter": 13, "Escape": 27, "ArrowUp": 38, "ArrowDown": 40, "Home": 36, "End": 35, " ": 32,
                 "ArrowLeft": 37, "ArrowRight": 39}
        for key in keys:
            common = {"key": key, "code": "Space" if key == " " else key, "windowsVirtualKeyCode": codes.get(key, 0)}
            text = {"Enter": "\r", " ": " "}.get(key)
            self.tell("Input.dispatchKeyEvent", type="keyDown", **common, **({"text": text} if text else {}))
            self.tell("Input.dispatchKeyEvent", type="keyUp", **common)

    def type(self, text):
        self.tell("Input.insertText", text=text)

    def text(self):
        return self.run("return document.body.innerText")

    def complaints(self):
        """What the console has said since it was last asked."""
        return [each["message"] for each in self.ask("POST", "/se/log", {"type": "browser"})]

    def photograph(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.ask("GET", "/screenshot")))

    def close(self):
        try:
            self.ask("DELETE", "")
        except (Failure, OSError):
            pass
        self.driver.terminate()
        self.driver.wait()
