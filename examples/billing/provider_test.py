#!/usr/bin/env python3
"""Tests of provider.py: each switch, the book after a kill, and the signatures of its events.

    python3 examples/billing/provider_test.py
"""
import base64, http.client, http.server, json, os, sys, tempfile, threading, time, unittest

sys.dont_write_bytecode = True
from provider import Bank, Server, signature

SECRET = "whsec_" + base64.b64encode(b"a secret of a test").decode()


class Hook(http.server.BaseHTTPRequestHandler):
    """Refuses the first event, and keeps all of them."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.events.append((dict(self.headers), body))
        self.send_response(503 if len(self.server.events) == 1 else 200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class ProviderTests(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.servers = []
        self.open()

    def tearDown(self):
        self.close()
        self.folder.cleanup()

    def serve(self, server):
        self.servers.append(server)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        return server.server_address[1]

    def open(self, **options):
        self.bank = Bank(os.path.join(self.folder.name, "book"), slow=0.3, **options)
        self.port = self.serve(Server(self.bank, 0))

    def close(self):
        for server in self.servers:
            server.shutdown()
            server.server_close()
        self.servers = []
        self.bank.file.close()

    def post(self, path, body, key=None):
        """Returns the status and the answer of a request; None if there is no whole one."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            connection.request("POST", path, json.dumps(body), {"Idempotency-Key": key} if key else {})
            response = connection.getresponse()
            return response.status, json.loads(response.read())
        except (OSError, http.client.HTTPException):
            return None
        finally:
            connection.close()

    def charge(self, key, cents=900):
        return self.post("/charges?subscription=s-1", {"cents": cents, "period": 1}, key)

    def switch(self, *names):
        self.assertEqual(self.post("/switches", list(names))[0], 200)

    def book(self):
        return [(entry["key"], entry["status"]) for entry in self.bank.entries.values()]

    def test_a_key_is_charged_once(self):
        first = self.charge("k")
        self.assertEqual(first, (201, {"id": "ch-1", "subscription": "s-1", "cents": 900, "period": 1}))
        self.assertEqual(self.charge("k"), first)
        self.assertEqual(self.charge("other")[1]["id"], "ch-2")
        self.assertEqual(self.charge("k", cents=5)[0], 422)

    def test_a_wrong_request_is_refused(self):
        self.assertEqual(self.charge(None)[0], 400)
        self.assertEqual(self.charge("k", cents=0)[0], 400)
        self.assertEqual(self.post("/nothing", {}, "k")[0], 404)
        self.assertEqual(self.post("/switches", ["dorp"])[0], 400)
        self.assertEqual(self.book(), [])

    def test_no_more_is_refunded_than_charged(self):
        self.charge("k")
        made = self.post("/charges/ch-1/refunds", {"cents": 500}, "r1")
        self.assertEqual(made, (201, {"id": "re-1", "charge": "ch-1", "cents": 500}))
        self.assertEqual(self.post("/charges/ch-1/refunds", {"cents": 401}, "r2")[0], 422)
        self.assertEqual(self.post("/charges/ch-9/refunds", {"cents": 1}, "r3")[0], 422)

    def test_drop_before_charges_nothing(self):
        self.switch("drop before")
        self.assertIsNone(self.charge("k"))
        self.assertEqual(self.book(), [])
        self.assertEqual(self.charge("k")[0], 201)

    def test_drop_after_and_half_have_charged(self):
        self.switch("drop after", "half")
        for key in ("k1", "k2"):
            self.assertIsNone(self.charge(key))
            self.assertIn((key, 201), self.book())
            self.assertEqual(self.charge(key)[0], 201)
        self.assertEqual(len(self.book()), 2)

    def test_slow_answers_a_repeat_with_409_meanwhile(self):
        self.switch("slow")
        answers = []
        caller = threading.Thread(target=lambda: answers.append(self.charge("k")))
        caller.start()
        while not self.bank.busy:
            time.sleep(0.01)
        self.assertEqual(self.charge("k")[0], 409)
        caller.join()
        self.assertEqual(answers, [self.charge("k")])

    def test_409_while_processing_goes_on_without_a_connection(self):
        self.switch("409 while processing")
        self.assertIsNone(self.charge("k"))
        self.assertEqual(self.charge("k")[0], 409)
        time.sleep(0.5)
        self.assertEqual(self.charge("k")[0], 201)

    def test_500_and_402_are_stored(self):
        self.switch("500 stored", "402")
        for key, status in (("k1", 500), ("k2", 402)):
            self.assertEqual(self.charge(key)[0], status)
            self.assertEqual(self.charge(key)[0], status)
        self.assertEqual(self.charge("k3")[1]["id"], "ch-1")

    def test_twice_sends_a_second_response_on_the_connection(self):
        self.switch("twice")
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        body = json.dumps({"cents": 1})
        connection.connect()
        connection.sock.sendall(b"POST /charges HTTP/1.1\r\nHost: bank\r\nIdempotency-Key: k\r\n"
                                b"Content-Length: %d\r\n\r\n%s" % (len(body), body.encode()))
        received = b""
        while chunk := connection.sock.recv(4096):
            received += chunk
        self.assertEqual(received.count(b"HTTP/1.1 201"), 2)
        connection.close()

    def test_the_book_survives_a_kill_in_a_write(self):
        first = self.charge("k")
        self.close()
        with open(os.path.join(self.folder.name, "book"), "ab") as file:
            file.write(b'{"key": "half a li')
        self.open()
        self.assertEqual(self.charge("k"), first)
        self.assertEqual(self.charge("k2")[1]["id"], "ch-2")
        self.close()
        self.open()
        self.assertEqual(self.book(), [("k", 201), ("k2", 201)])

    def test_events_are_signed_and_repeated_until_they_are_accepted(self):
        hook = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hook)
        hook.events = []
        port = self.serve(hook)
        self.close_bank_and_open(hook=f"http://127.0.0.1:{port}/hooks/bank", secret=SECRET)
        self.switch("402", "twice")
        self.charge("k1")
        self.await_events(hook, 2)
        self.charge("k2")
        self.await_events(hook, 4)
        kinds = []
        for headers, body in hook.events:
            headers = {name.lower(): value for name, value in headers.items()}
            expected = signature(SECRET, headers["webhook-id"], headers["webhook-timestamp"], body)
            self.assertEqual(headers["webhook-signature"], expected)
            self.assertLess(abs(time.time() - int(headers["webhook-timestamp"])), 10)
            kinds.append((headers["webhook-id"], json.loads(body)["type"]))
        self.assertEqual([kind for _, kind in kinds], ["charge.failed"] * 2 + ["charge.succeeded"] * 2)
        self.assertEqual(len(set(kinds)), 2)

    def test_signatures_are_those_of_the_standard(self):
        # The example of the specification.
        self.assertEqual(
            signature("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330",
                      b'{"test": 2432232314}'),
            "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")

    def close_bank_and_open(self, **options):
        servers, self.servers = self.servers, []
        self.servers = servers[:1]
        self.close()
        self.open(**options)
        self.servers += servers[1:]

    def await_events(self, hook, count):
        end = time.time() + 10
        while len(hook.events) < count and time.time() < end:
            time.sleep(0.02)
        self.assertEqual(len(hook.events), count)


if __name__ == "__main__":
    result = unittest.main(exit=False, verbosity=1).result
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)
