"""Reads an event log with pm4py and replays its tokens on a Petri net discovered from it.

usage: pm4py_replay.py LOG.csv
"""

import sys

import pandas
import pm4py

rows = pandas.read_csv(sys.argv[1])
log = pm4py.format_dataframe(
    rows,
    case_id="case:concept:name",
    activity_key="concept:name",
    timestamp_key="time:timestamp",
)
net, initial, final = pm4py.discover_petri_net_inductive(log)
replayed = pm4py.conformance_diagnostics_token_based_replay(log, net, initial, final)
print(f"{len(log)} events, {len(replayed)} cases")
