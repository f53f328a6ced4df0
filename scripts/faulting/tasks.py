"""Kills what takes part in tasks, and looks whether each charge was made once.

A server serves cases whose effects charge by a task; workers claim the tasks, and charge at a provider, which keeps a
book by the id of the call. Each round kills one of them with SIGKILL, or stops a worker beyond its lease:

    tasks.py SERVER FOLDER ROUNDS JOURNAL     SERVER is moonlatch-serve; JOURNAL a file or a URL of PostgreSQL

Exit codes: 0 each case is paid, each charge is in the book once, and no task is open; 1 otherwise.
"""
import http.client, http.server, json, os, random, signal, socket, subprocess, sys, threading, time, urllib.error
import urllib.request

TOKEN = "0123456789abcdef0123456789abcdef"
FLOW = """
state { status = "new", receipt = "" }
action.pay { cents = integer { min = 1 } }
internal.paid { id = string }
internal.failed { error = string }
function reduce.pay(s) s.status = "paying" end
function reduce.paid(s, a) s.status, s.receipt = "paid", a.id end
function reduce.failed(s, a) s.status = "failed: " .. a.error end
effect.pay { durable = true, on_done = "paid", on_error = "failed", run = function(self, a)
  return { id = self:charge(a.cents).id }
end }
"""
HOST_FILE = """
provide { charge = worker { queue = "charges", lease = "2s", attempts = 1000, args = { { "cents", integer } },
  result = { id = string } } }
"""


def request(port, path, body=None, headers=()):
    """Returns the status and the JSON of an answer; raises OSError if there is none."""
    headers = dict(headers, Authorization="Bearer " + TOKEN)
    data = None
    if body is not None:
        data, headers["Content-Type"] = json.dumps(body).encode(), "application/json"
    asked = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data, headers)
    try:
        with urllib.request.urlopen(asked, timeout=30) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)
    except (http.client.HTTPException, ValueError) as error:
        raise OSError(str(error))


def provide(port, path):
    """Serves charges: a key that is in the book already gets the answer that is there."""
    book = {}
    if os.path.exists(path):
        for line in open(path):
            if line.endswith("\n"):
                key, answer = line.rstrip("\n").split("\t")
                book[key] = answer
    lock = threading.Lock()

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            key = self.headers["Idempotency-Key"]
            with lock:
                if key not in book:
                    book[key] = f"ch-{len(book) + 1}"
                    with open(path, "a") as file:
                        file.write(f"{key}\t{book[key]}\n")
                        file.flush()
                        os.fsync(file.fileno())
            answer = json.dumps({"id": book[key]}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_):
            pass

    http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()


def work(server, provider):
    """Claims tasks and charges; a task whose charge got no answer is given back."""
    while True:
        try:
            _, found = request(server, "/tasks/claim", {"queues": ["charges"], "max": 3, "wait": "1s"})
            for task in found.get("tasks", []):
                own = {"token": task["token"]}
                try:
                    _, charge = request(provider, "/charges", task["args"], {"Idempotency-Key": task["call"]})
                except OSError:
                    request(server, f"/tasks/{task['id']}/release", dict(own, after="0.1s"))
                    continue
                request(server, f"/tasks/{task['id']}/complete", dict(own, result=charge))
        except OSError:
            time.sleep(0.05)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def insist(port, path, body, headers=()):
    """Repeats a request until the server answers."""
    end = time.time() + 60
    while True:
        try:
            status, answer = request(port, path, body, headers)
            if status < 500:
                return status, answer
        except OSError:
            pass
        if time.time() > end:
            raise SystemExit(f"{path}: the server does not answer within a minute")
        time.sleep(0.05)


class Trial:
    def __init__(self, server, folder, journal):
        self.server, self.folder, self.journal = server, folder, journal
        self.port, self.provider_port = free_port(), free_port()
        self.book = os.path.join(folder, "book")
        for name, text in (("pay.lua", FLOW), ("pay.host.lua", HOST_FILE), ("tokens", f"{TOKEN} trial all\n")):
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)
        self.processes = {}
        for name in ("server", "provider", "worker 1", "worker 2", "worker 3"):
            self.start(name)

    def start(self, name):
        if name == "server":
            command = [self.server, "serve", os.path.join(self.folder, "pay.lua"), "--port", str(self.port),
                       "--journal", self.journal, "--token-file", os.path.join(self.folder, "tokens")]
            if "://" in self.journal:
                command += ["--lease", "1s"]
        elif name == "provider":
            command = [sys.executable, __file__, "provide", str(self.provider_port), self.book]
        else:
            command = [sys.executable, __file__, "work", str(self.port), str(self.provider_port)]
        log = open(os.path.join(self.folder, name.replace(" ", "") + ".log"), "a")
        self.processes[name] = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)

    def kill(self, name):
        self.processes[name].send_signal(signal.SIGKILL)
        self.processes[name].wait()
        self.start(name)

    def pause(self, name):
        process = self.processes[name]
        process.send_signal(signal.SIGSTOP)
        threading.Timer(2.5, lambda: process.send_signal(signal.SIGCONT)).start()

    def end(self):
        for process in self.processes.values():
            process.send_signal(signal.SIGKILL)
            process.wait()

    def run(self, rounds):
        kills, cases = {}, 0
        for number in range(rounds):
            for _ in range(3):
                cases += 1
                case = f"/cases/c{cases}"
                status, answer = insist(self.port, case, {}, {"Idempotency-Key": f'"create-{cases}"'})
                if status not in (200, 201):
                    raise SystemExit(f"c{cases} could not be created: {answer}")
                status, answer = insist(
                    self.port, case + "/actions/pay", {"cents": cases}, {"Idempotency-Key": f'"pay-{cases}"'})
                if status != 200:
                    raise SystemExit(f"c{cases} could not be paid: {answer}")
            time.sleep(random.uniform(0, 0.05))
            victim = ("server", "worker", "provider", "pause")[number % 4]
            if victim == "worker":
                self.kill(f"worker {random.randint(1, 3)}")
            elif victim == "pause":
                self.pause(f"worker {random.randint(1, 3)}")
            else:
                self.kill(victim)
            kills[victim] = kills.get(victim, 0) + 1
        self.expect_paid(cases)
        return kills, cases

    def expect_paid(self, cases):
        end = time.time() + 120
        for number in range(1, cases + 1):
            while True:
                _, state = insist(self.port, f"/cases/c{number}/state", None)
                if state.get("status") == "paid":
                    break
                if str(state.get("status")).startswith("failed") or time.time() > end:
                    raise SystemExit(f"c{number} is not paid: {state}")
                time.sleep(0.05)
        _, found = insist(self.port, "/tasks", None)
        left = [task for task in found["tasks"] if task["state"] != "unheard"]
        if left:
            raise SystemExit(f"{len(left)} tasks are still open: {left[0]}")
        keys = [line.split("\t")[0] for line in open(self.book)]
        if len(keys) != len(set(keys)) or len(keys) != cases:
            raise SystemExit(f"{cases} cases were paid by {len(keys)} charges of {len(set(keys))} calls")


def main(arguments):
    if arguments[0] == "provide":
        return provide(int(arguments[1]), arguments[2])
    if arguments[0] == "work":
        return work(int(arguments[1]), int(arguments[2]))
    server, folder, rounds, journal = arguments
    trial = Trial(server, folder, journal)
    try:
        kills, cases = trial.run(int(rounds))
    finally:
        trial.end()
    counts = ", ".join(f"{count} times {name}" for name, count in sorted(kills.items()))
    print(f"killed or stopped: {counts}; {cases} cases were paid, each by one charge; no task was left open")


main(sys.argv[1:])
