"""What the Python peers share: measuring, and the reducer's state."""

import time

COUNT, ROUNDS = 100, 200


def measure(event):
    """The least nanoseconds for one event, of several rounds."""
    best = float("inf")
    for _ in range(ROUNDS):
        begin = time.perf_counter_ns()
        for _ in range(COUNT):
            event()
        best = min(best, (time.perf_counter_ns() - begin) / COUNT)
    return best
