#!/usr/bin/env python3
"""The bank and the mail of the order, for a served one: a worker, with nothing but Python's standard library.

    examples/order/worker.py ADDRESS TOKEN [TASKS]

It claims tasks of the server at ADDRESS and answers them, until it is stopped or has answered so many TASKS. The bank of
this example does not answer the first try of a call, so that the order tries again. It keeps its receipts by the id of the
call, which is the same at each try: a charge that is asked for twice is made once.
"""
import json
import sys
import time
import urllib.error
import urllib.request

address, token = sys.argv[1:3]
most = int(sys.argv[3]) if len(sys.argv) > 3 else None
receipts = {}


def post(path, **body):
    """Sends a request until the server answers it."""
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
    request = urllib.request.Request(address + path, json.dumps(body).encode(), headers)
    while True:
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return json.load(response)
        except urllib.error.HTTPError as problem:
            if problem.code not in (429, 503):
                return json.load(problem)
        except OSError:
            pass
        time.sleep(0.5)


def charge(task):
    if task["try"] == 1:
        raise OSError("the bank does not answer")
    return receipts.setdefault(task["call"], f"r-{len(receipts) + 1} for {task['args']['cents']} cents")


def mail(task):
    print("mail:", task["args"]["text"], flush=True)


work = {"root.charge": charge, "root.mail": mail}
answered = 0
while answered != most:
    claimed = post("/tasks/claim", queues=["bank", "mail"], wait="20s", worker="worker.py")
    if "tasks" not in claimed:
        sys.exit(f"the server gives no tasks: {claimed['detail']}")
    for task in claimed["tasks"]:
        path = f"/tasks/{task['id']}"
        try:
            answer = post(f"{path}/complete", token=task["token"], result=work[task["capability"]](task))
        except OSError as error:
            answer = post(f"{path}/fail", token=task["token"], error=str(error), retryable=True)
        print(task["capability"], f"try {task['try']}:", answer.get("state") or answer["detail"], flush=True)
        answered += 1
