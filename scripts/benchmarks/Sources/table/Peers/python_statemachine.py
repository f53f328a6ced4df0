"""A machine that flips to and fro, with a guard and a reducer, in python-statemachine."""

from importlib.metadata import version

from common import COUNT, ROUNDS, measure
from statemachine import State, StateMachine


class Side(StateMachine):
    left = State(initial=True)
    right = State()
    flip = left.to(right, cond="fine") | right.to(left, cond="fine")

    count = 0

    def fine(self):
        return self.count >= 0

    def on_flip(self):
        self.count = self.count + 1


side = Side()
print("python_statemachine", measure(side.flip))
assert side.count == COUNT * ROUNDS, "it has not counted"
print("version", "python-statemachine", version("python-statemachine"))
