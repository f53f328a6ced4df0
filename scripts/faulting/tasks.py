"""Kills what takes part in tasks, and looks whether each charge was made once.

A server serves cases whose effects charge twice: by an `http` capability, and by a task that workers claim. Both charge
at the bank of examples/billing, which keeps a book by the id of the call, and loses, halves, delays and doubles
responses. A hub is notified of each action, and refuses some notifications. Each round kills one of them with SIGKILL, or
stops one beyond its lease:

    tasks.py SERVER FOLDER ROUNDS JOURNAL [DATABASE]

SERVER is moonlatch-serve; JOURNAL a file, or the URL of the PostgreSQL in the folder DATABASE (scripts/postgres), which
two nodes serve together. Exit codes: 0 each case is paid by two charges, or has failed because the bank has stored an
error, no task is open, and the hub was told of the actions of each case in their order; 1 otherwise.
"""
import http.client, http.server, json, os, random, signal, socket, subprocess, sys, threading, time, urllib.error, urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROVIDER = os.path.join(ROOT, "examples", "billing", "provider.py")
TOKEN = "0123456789abcdef0123456789abcdef"
FLOW = """
state { status = "new", receipt = "" }
action.pay { cents = integer { min = 1 } }
internal.paid { id = string }
internal.failed { error = string }
function reduce.pay(s) s.status = "paying" end
function reduce.paid(s, a) s.status, s.receipt = "paid", a.id end
function reduce.failed(s, a) s.status = "failed: " .. a.error end
effect.pay = { durable = true, on_done = "paid", on_error = "failed", run = function(self, a)
  local first = retry({ times = 40, wait = 0.1, factor = 1.05 }, function() return self:draw(a.cents, 1) end)
  return { id = first.id .. " " .. self:charge(a.cents, 2).id }
end }
"""
HOST_FILE = """
local parameters = { { "cents", integer }, { "period", integer } }
local answer = { id = string, subscription = string, cents = integer, period = integer }
provide {
  draw = http { "POST", env.BANK_URL .. "/charges?subscription={case}", timeout = "2s",
    args = parameters, result = answer },
  charge = worker { queue = "charges", lease = "2s", attempts = 1000, args = parameters, result = answer },
}
notify.hub = http { "POST", env.HUB_URL, secret = "whsec_dGhlIGh1YiBvZiB0aGUgdHJpYWw=", timeout = "2s" }
"""


def request(port, path, body=None, headers=()):
    """Returns the status and the JSON of an answer; raises OSError if there is none."""
    headers = dict(headers, Authorization="Bearer " + TOKEN)
    data = None
    if body is not None:
        data, headers["Content-Type"] = json.dumps(body).encode(), "application/json"
    asked = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data, headers)
    try:
        with urllib.request.urlopen(asked, timeout=5) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)
    except (http.client.HTTPException, ValueError) as error:
        raise OSError(str(error))


def perform(task, bank):
    """Charges at the bank, and returns the path and body of the answer to a task."""
    own = {"token": task["token"]}
    again = "release", dict(own, after="0.1s")
    try:
        status, charge = request(
            bank, f"/charges?subscription={task['case']}", task["args"], {"Idempotency-Key": task["call"]})
    except OSError:
        return again
    if status == 409:
        return again
    if status != 201:
        return "fail", dict(own, error=f"{status} {charge['error']}", retryable=False)
    return "complete", dict(own, result=charge)


def work(bank, *servers):
    """Claims tasks of one of the servers and charges; a task whose charge got no answer is given back."""
    while True:
        server = random.choice(servers)
        try:
            _, found = request(server, "/tasks/claim", {"queues": ["charges"], "max": 3, "wait": "1s"})
            for task in found.get("tasks", []):
                path, body = perform(task, bank)
                request(server, f"/tasks/{task['id']}/{path}", body)
        except OSError:
            time.sleep(0.05)


class Hub(http.server.BaseHTTPRequestHandler):
    """Stores events, refuses some of them, and accepts some without saying so."""

    def do_POST(self):
        event = self.rfile.read(int(self.headers["Content-Length"]))
        fate = random.random()
        if fate < 0.1:
            return self.send_error(503)
        with self.server.lock:
            self.server.file.write(event + b"\n")
            self.server.file.flush()
        if fate > 0.1 + 0.1:
            self.send_response(204)
            self.end_headers()

    def log_message(self, *_):
        pass


def receive(port, path):
    """Serves the hub, which appends each event as a line to a file."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Hub)
    server.lock, server.file = threading.Lock(), open(path, "ab")
    server.serve_forever()


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Trial:
    def __init__(self, server, folder, journal, database=None):
        self.server, self.folder, self.journal, self.database = server, folder, journal, database
        self.ports = [free_port() for _ in range(2 if database else 1)]
        self.bank_port, self.book = free_port(), os.path.join(folder, "book")
        self.hub_port, self.events = free_port(), os.path.join(folder, "events")
        for name, text in (("pay.lua", FLOW), ("pay.host.lua", HOST_FILE), ("tokens", f"{TOKEN} trial all\n")):
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)
        self.processes, self.timers = {}, []
        self.servers = [f"server {number}" for number in range(1, len(self.ports) + 1)]
        self.workers = ["worker 1", "worker 2", "worker 3"]
        for name in ["provider", "hub"] + self.servers + self.workers:
            self.start(name)

    def start(self, name):
        kind, _, number = name.partition(" ")
        if kind == "server":
            port = self.ports[int(number) - 1]
            command = [self.server, "serve", os.path.join(self.folder, "pay.lua"), "--port", str(port),
                       "--journal", self.journal, "--token-file", os.path.join(self.folder, "tokens")]
            if self.database:
                command += ["--lease", "1s"]
        elif kind == "provider":
            command = [sys.executable, "-B", PROVIDER, self.book, "--port", str(self.bank_port), "--slow", "0.3",
                       "--chance", "0.3"]
        elif kind == "hub":
            command = [sys.executable, "-B", __file__, "receive", str(self.hub_port), self.events]
        else:
            command = [sys.executable, "-B", __file__, "work", *map(str, [self.bank_port] + self.ports)]
        environment = dict(os.environ, BANK_URL=f"http://127.0.0.1:{self.bank_port}",
                           HUB_URL=f"http://127.0.0.1:{self.hub_port}/events")
        with open(os.path.join(self.folder, name.replace(" ", "") + ".log"), "a") as log:
            self.processes[name] = subprocess.Popen(
                command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=environment)

    def kill(self, name):
        self.processes[name].send_signal(signal.SIGKILL)
        self.processes[name].wait()
        self.start(name)

    def pause(self, name):
        """Stops a process until after its lease."""
        process = self.processes[name]
        process.send_signal(signal.SIGSTOP)
        self.timers.append(threading.Timer(2.5, process.send_signal, [signal.SIGCONT]))
        self.timers[-1].start()

    def kill_database(self):
        for command in ("kill", "again"):
            subprocess.run([os.path.join(ROOT, "scripts", "postgres"), command, self.database], check=True,
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    def end(self):
        for timer in self.timers:
            timer.cancel()
        for process in self.processes.values():
            process.send_signal(signal.SIGKILL)
            process.wait()

    def insist(self, path, body, headers=()):
        """Repeats a request, at any node, until it is answered."""
        end = time.time() + 60
        while True:
            try:
                status, answer = request(random.choice(self.ports), path, body, headers)
                if status < 500:
                    return status, answer
            except OSError:
                pass
            if time.time() > end:
                raise SystemExit(f"{path}: the server does not answer within a minute")
            time.sleep(0.05)

    def run(self, rounds):
        victims = ["server", "worker", "provider", "pause", "hub"] + ["database"] * bool(self.database)
        kills, cases = {}, 0
        for number in range(rounds):
            for _ in range(3):
                cases += 1
                self.create_and_pay(cases)
            time.sleep(random.uniform(0, 0.1))
            victim = victims[number % len(victims)]
            if victim == "server":
                self.kill(random.choice(self.servers))
            elif victim == "worker":
                self.kill(random.choice(self.workers))
            elif victim in ("provider", "hub"):
                self.kill(victim)
            elif victim == "database":
                self.kill_database()
            else:
                self.pause(random.choice(self.workers + (self.servers if self.database else [])))
            kills[victim] = kills.get(victim, 0) + 1
        return kills, cases, self.expect_paid(cases)

    def create_and_pay(self, number):
        case = f"/cases/c{number}"
        status, answer = self.insist(case, {}, {"Idempotency-Key": f'"create-{number}"'})
        if status not in (200, 201):
            raise SystemExit(f"c{number} could not be created: {answer}")
        status, answer = self.insist(
            case + "/actions/pay", {"cents": number}, {"Idempotency-Key": f'"pay-{number}"'})
        if status != 200:
            raise SystemExit(f"c{number} could not be paid: {answer}")

    def expect_paid(self, cases):
        """Returns how many cases have failed, all of them because the bank has stored an error."""
        end, failed = time.time() + 120, 0
        statuses = {}
        for number in range(1, cases + 1):
            while True:
                _, state = self.insist(f"/cases/c{number}/state", None)
                statuses[f"c{number}"] = status = str(state.get("status"))
                if status == "paid" or status.startswith("failed"):
                    break
                if time.time() > end:
                    raise SystemExit(f"c{number} is not paid: {state}")
                time.sleep(0.05)
        self.expect_notified(statuses)
        _, found = self.insist("/tasks", None)
        left = [task for task in found["tasks"] if task["state"] != "unheard"]
        if left:
            raise SystemExit(f"{len(left)} tasks are still open: {left[0]}")
        return self.compare(statuses)

    def expect_notified(self, statuses):
        """Waits until the hub was told of the actions of each case, which came in their order."""
        end = time.time() + 240
        while True:
            told = {}
            for line in open(self.events):
                if line.endswith("\n"):
                    event = json.loads(line)
                    told.setdefault(event["case"], {}).setdefault(event["id"], event)
            actions = {case: [event["action"] for event in events.values()] for case, events in told.items()}
            missing = [(case, actions.get(case)) for case, status in statuses.items()
                       if actions.get(case) != ["pay", status.partition(":")[0]]]
            if not missing:
                return
            if time.time() > end:
                raise SystemExit(f"the hub was told otherwise of {len(missing)} cases: {missing[0]}")
            time.sleep(0.5)

    def compare(self, statuses):
        """Compares the cases with the bank's book: each charge was made once, and none without its case."""
        made, errors = {}, set()
        for entry in map(json.loads, open(self.book)):
            case = entry["path"].partition("subscription=")[2]
            if entry["status"] == 201:
                made.setdefault(case, []).append(entry["answer"]["period"])
            else:
                errors.add(case)
        for case, status in statuses.items():
            periods = sorted(made.pop(case, []))
            if status == "paid" and periods != [1, 2]:
                raise SystemExit(f"{case} is paid, but the periods that were charged are {periods}")
            if status != "paid" and (case not in errors or periods not in ([], [1])):
                raise SystemExit(f"{case} has {status}, but the periods that were charged are {periods}")
        if made:
            raise SystemExit(f"nobody has asked for these charges: {made}")
        return sum(status != "paid" for status in statuses.values())


def main(arguments):
    if arguments[0] == "work":
        return work(*map(int, arguments[1:]))
    if arguments[0] == "receive":
        return receive(int(arguments[1]), arguments[2])
    server, folder, rounds, *journal = arguments
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # ends what it has started, also what is stopped
    trial = Trial(server, folder, *journal)
    try:
        kills, cases, failed = trial.run(int(rounds))
    finally:
        trial.end()
    counts = ", ".join(f"{count} times {name}" for name, count in sorted(kills.items()))
    print(f"killed or stopped: {counts}; {cases - failed} cases were paid, each by one charge of either kind, and "
          f"{failed} have failed with an error that the bank has stored; no task was left open, and the hub was told of "
          "each action in order")


main(sys.argv[1:])
