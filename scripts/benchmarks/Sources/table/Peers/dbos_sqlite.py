"""What DBOS takes to run a workflow of one step durably, with its tables in a file of SQLite.

usage: dbos_sqlite.py FOLDER     FOLDER is on the disk that is measured
"""

import logging
import os
import sys
import tempfile
import time
from importlib.metadata import version

from dbos import DBOS

ROUNDS, COUNT = 20, 10

state = {"count": 0}


@DBOS.step()
def increment():
    if state["count"] < 0:
        raise ValueError("the count is negative")
    state["count"] += 1
    return state["count"]


@DBOS.workflow()
def dispatch():
    return increment()


with tempfile.TemporaryDirectory(dir=sys.argv[1]) as folder:
    file = os.path.join(folder, "dbos.sqlite")
    DBOS(
        config={
            "name": "counter",
            "system_database_url": f"sqlite:///{file}",
            "run_admin_server": False,
            "log_level": "ERROR",
        }
    )
    DBOS.launch()
    logging.disable(logging.CRITICAL)
    best = float("inf")
    for _ in range(ROUNDS):
        begin = time.perf_counter_ns()
        for _ in range(COUNT):
            dispatch()
        best = min(best, (time.perf_counter_ns() - begin) / COUNT)
    assert dispatch() == COUNT * ROUNDS + 1, "it has not counted"
    DBOS.destroy()
print("dbos", best)
print("version", "DBOS", version("dbos"))
