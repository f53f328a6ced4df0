"""A machine that flips to and fro, with a guard and a reducer, in transitions."""

from importlib.metadata import version

from common import COUNT, ROUNDS, measure
from transitions import Machine


class Side:
    count = 0

    def fine(self):
        return self.count >= 0

    def reduce(self):
        self.count = self.count + 1


side = Side()
Machine(
    side,
    states=["left", "right"],
    initial="left",
    transitions=[
        dict(trigger="flip", source="left", dest="right", conditions="fine", before="reduce"),
        dict(trigger="flip", source="right", dest="left", conditions="fine", before="reduce"),
    ],
)
print("transitions", measure(side.flip))
assert side.count == COUNT * ROUNDS, "it has not counted"
print("version", "transitions", version("transitions"))
