"""A `moonlatch-serve inspect` that a test opens in a browser and asks by itself."""

import http.client
import json
import re
import subprocess
import urllib.parse


class Served:
    def __init__(self, program, flow, *options, port=0):
        self.process = subprocess.Popen(
            [program, "inspect", flow, "--port", str(port), *options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        line = self.process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/#token=([0-9a-f]{32})(?:&case=(\S+))?", line)
        if not found:
            raise RuntimeError(f"it has not said where it is: {line}")
        self.address = found.group(0)
        self.port, self.token, self.case = int(found.group(1)), found.group(2), found.group(3)

    def of(self, case):
        return f"http://127.0.0.1:{self.port}/#" + urllib.parse.urlencode({"token": self.token, "case": case})

    def ask(self, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = {"Authorization": f"Bearer {self.token}"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        data = None if body is None else json.dumps(body)
        connection.request("GET" if body is None else "POST", f"/api/{path}", data, headers)
        answer = json.loads(connection.getresponse().read())
        connection.close()
        return answer

    def dispatch(self, action, payload=None, case=None):
        return self.ask(f"cases/{case or self.case}/actions/{action}", payload or {})

    def stop(self):
        self.process.terminate()
        self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
