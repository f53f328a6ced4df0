"""A `moonlatch-serve` that a test opens in a browser and asks by itself."""

import http.client
import json
import re
import subprocess
import time
import urllib.parse


class Served:
    """The command `inspect`."""

    command, root = "inspect", ""

    def __init__(self, program, flow, *options, port=0):
        self.process = subprocess.Popen(
            [program, self.command, flow, "--port", str(port), *options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        address = rf"http://127\.0\.0\.1:(\d+)/{self.root}#token=([0-9a-f]{{32}})(?:&case=(\S+))?"
        lines = []
        found = None
        while not found:
            lines.append(self.process.stdout.readline())
            if not lines[-1]:
                raise RuntimeError(f"it has not said where it is: {lines}")
            found = re.search(address, lines[-1])
        self.address = found.group(0)
        self.port, self.token, self.case = int(found.group(1)), found.group(2), found.group(3)

    def of(self, case):
        return f"http://127.0.0.1:{self.port}/{self.root}#" + urllib.parse.urlencode({"token": self.token, "case": case})

    def ask(self, path, body=None):
        """A request to the inspector."""
        return self.request(f"/{self.root}/api/{path}" if self.root else f"/api/{path}", body)

    def request(self, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = {"Authorization": f"Bearer {self.token}"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        data = None if body is None else json.dumps(body)
        connection.request("GET" if body is None else "POST", path, data, headers)
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


class ServedTasks(Served):
    """The command `serve`, whose tasks a test claims and answers by itself."""

    command, root = "serve", "inspect"

    def claim(self, queue, worker="w-1"):
        return self.request("/tasks/claim", {"queues": [queue], "max": 10, "worker": worker})["tasks"]

    def let_die(self, queue, seconds=1.2):
        """The lease of each task ends without an answer."""
        self.claim(queue)
        time.sleep(seconds)
        self.claim(queue)
