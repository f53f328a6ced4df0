#!/usr/bin/env python3
"""A bank for examples and tests, with nothing but Python's standard library.

    provider.py BOOK [--port 8090] [--slow SECONDS] [--chance P] [--hook URL --secret whsec_...]

It makes charges and refunds, and stores its answer to each `Idempotency-Key` in the file BOOK: a request with a key
that is in the book gets the same answer again, also after the bank was killed.

    POST /charges?subscription=s-1  {"cents": 900, "period": 1}   201 {"id": "ch-1", ...}, or 402
    POST /charges/ch-1/refunds      {"cents": 400}                201 {"id": "re-1", ...}
    GET  /book                      {"entries": [...], "busy": [KEY, ...]}
    POST /switches                  ["drop after", "402"]

Each switch is used by one key, at its first request: by the next keys in order, or with --chance by one of those in
CHANCES. Events of charges are sent to the hook, signed as Standard Webhooks are.
"""
import argparse, base64, collections, hashlib, hmac, http.server, json, os, random, re, socket, threading, time
import urllib.parse, urllib.request

SWITCHES = {
    "402": "declines the charge, and stores that",
    "409 while processing": "closes the connection, and goes on; until it has an answer a repeat gets 409",
    "500 stored": "charges nothing, and answers 500 to each request with the key",
    "drop after": "closes the connection after it has stored the answer",
    "drop before": "closes the connection, and does nothing",
    "half": "stores the answer, and sends half of it",
    "slow": "takes its time; a repeat gets 409 meanwhile",
    "twice": "sends the response twice on the connection, and the event twice to the hook",
}
CHANCES = [name for name in SWITCHES if name != "402"]


def signature(secret, identity, timestamp, body):
    """Signs an event as https://www.standardwebhooks.com describes."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = hmac.new(key, f"{identity}.{timestamp}.".encode() + body, hashlib.sha256)
    return "v1," + base64.b64encode(signed.digest()).decode()


class Bank:
    def __init__(self, book, slow=2.0, chance=0.0, hook=None, secret=None):
        self.slow, self.chance, self.hook, self.secret = slow, chance, hook, secret
        self.entries, self.busy, self.seen = {}, set(), set()
        self.switches, self.lock = collections.deque(), threading.Lock()
        self.file = open(book, "a+b")
        self.file.seek(0)
        lines = self.file.read().splitlines(keepends=True)
        whole = [line for line in lines if line.endswith(b"\n")]  # a kill may have cut off the last one
        self.file.truncate(sum(map(len, whole)))
        for entry in map(json.loads, whole):
            self.entries[entry["key"]] = entry

    def switch(self, key):
        """Returns the switch for a request: none but for the first one with the key."""
        with self.lock:
            if key in self.seen or key in self.entries:
                return None
            self.seen.add(key)
            if self.switches:
                return self.switches.popleft()
        return random.choice(CHANCES) if random.random() < self.chance else None

    def perform(self, key, path, asked, switch):
        """Returns status and answer of a request, after they are on disk."""
        with self.lock:
            if key in self.busy:
                return 409, {"error": "a request with this key is still being processed"}
            if key in self.entries:
                entry = self.entries[key]
                if (entry["path"], entry["asked"]) != (path, asked):
                    return 422, {"error": "the key is that of another request"}
                return entry["status"], entry["answer"]
            self.busy.add(key)
        if switch in ("slow", "409 while processing"):
            time.sleep(self.slow)
        with self.lock:
            status, answer = self.decide(path, asked, switch)
            entry = {"key": key, "path": path, "asked": asked, "status": status, "answer": answer}
            self.file.write(json.dumps(entry).encode() + b"\n")
            self.file.flush()
            os.fsync(self.file.fileno())
            self.entries[key] = entry
            self.busy.discard(key)
        if self.hook and path.startswith("/charges?"):
            for _ in range(2 if switch == "twice" else 1):
                threading.Thread(target=self.send_event, args=(entry,), daemon=True).start()
        return status, answer

    def decide(self, path, asked, switch):
        if switch == "500 stored":
            return 500, {"error": "the bank has a problem"}
        url = urllib.parse.urlsplit(path)
        made = [entry for entry in self.entries.values() if entry["status"] == 201]
        if url.path == "/charges":
            if switch == "402":
                return 402, {"error": "card_declined"}
            number = sum(entry["answer"]["id"].startswith("ch-") for entry in made) + 1
            return 201, {"id": f"ch-{number}", **dict(urllib.parse.parse_qsl(url.query)), **asked}
        charge = url.path.split("/")[2]
        refunds = [entry["answer"] for entry in made if entry["answer"]["id"].startswith("re-")]
        charged = sum(entry["answer"]["cents"] for entry in made if entry["answer"]["id"] == charge)
        if sum(it["cents"] for it in refunds if it["charge"] == charge) + asked["cents"] > charged:
            return 422, {"error": f"charge {charge} has less to refund"}
        return 201, {"id": f"re-{len(refunds) + 1}", "charge": charge, **asked}

    def send_event(self, entry):
        """Sends an event until the hook accepts it, some times."""
        kind = "charge.succeeded" if entry["status"] == 201 else "charge.failed"
        body = json.dumps({"type": kind, "data": {**entry["answer"], "call": entry["key"]}}).encode()
        identity = "evt_" + hashlib.sha256(entry["key"].encode()).hexdigest()[:16]
        for wait in (0, 0.5, 1, 2, 4, 8, 16):
            time.sleep(wait)
            timestamp = str(int(time.time()))
            headers = {"Content-Type": "application/json", "webhook-id": identity, "webhook-timestamp": timestamp,
                       "webhook-signature": signature(self.secret, identity, timestamp, body)}
            try:
                with urllib.request.urlopen(urllib.request.Request(self.hook, body, headers), timeout=10):
                    return
            except OSError:  # also an answer that is not 2xx
                pass


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        with self.server.bank.lock:
            book = {"entries": list(self.server.bank.entries.values()), "busy": sorted(self.server.bank.busy)}
        self.answer(200, book) if self.path == "/book" else self.answer(404, {"error": "there is only /book"})

    def do_POST(self):
        bank, key = self.server.bank, self.headers["Idempotency-Key"]
        try:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"] or 0)))
        except ValueError:
            return self.answer(400, {"error": "the body is not JSON"})
        if self.path == "/switches":
            unknown = [name for name in asked if name not in SWITCHES]
            if unknown:
                return self.answer(400, {"error": f"there is no switch {unknown[0]}; there are {', '.join(SWITCHES)}"})
            bank.switches.extend(asked)
            return self.answer(200, {"switches": list(bank.switches)})
        if not re.fullmatch(r"/charges(\?.*|/[^/?]+/refunds)?", self.path):
            return self.answer(404, {"error": "there is no such path"})
        if not key or not isinstance(asked, dict) or not isinstance(asked.get("cents"), int) or asked["cents"] < 1:
            return self.answer(400, {"error": "an Idempotency-Key and cents are needed"})
        switch = bank.switch(key)
        if switch == "409 while processing":
            self.drop()
        if switch != "drop before":
            status, answer = bank.perform(key, self.path, asked, switch)
        if switch in ("drop before", "drop after", "409 while processing"):
            self.drop()
        else:
            self.answer(status, answer, switch)

    def drop(self):
        self.close_connection = True
        try:
            self.connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    def answer(self, status, answer, switch=None):
        body = json.dumps(answer).encode()
        head = f"HTTP/1.1 {status} {http.HTTPStatus(status).phrase}\r\nContent-Type: application/json\r\n"
        self.close_connection = switch in ("half", "twice")
        if self.close_connection:
            head += "Connection: close\r\n"
        whole = f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body
        whole = {"half": whole[: -len(body) // 2], "twice": whole * 2}.get(switch, whole)
        try:
            self.wfile.write(whole)
        except OSError:  # nobody waits for it any more
            self.close_connection = True

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    """Serves a bank at a port of the loopback interface, or at a free one for 0."""
    request_queue_size = 128

    def __init__(self, bank, port):
        super().__init__(("127.0.0.1", port), Handler)
        self.bank = bank


def main():
    options = argparse.ArgumentParser()
    options.add_argument("book")
    options.add_argument("--port", type=int, default=8090)
    options.add_argument("--slow", type=float, default=2)
    options.add_argument("--chance", type=float, default=0)
    options.add_argument("--hook")
    options.add_argument("--secret")
    given = options.parse_args()
    server = Server(Bank(given.book, given.slow, given.chance, given.hook, given.secret), given.port)
    print(f"the bank is at http://127.0.0.1:{server.server_address[1]}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
