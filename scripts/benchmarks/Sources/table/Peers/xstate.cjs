// What XState takes for a machine that flips to and fro, with a guard and a reducer: the least nanoseconds for one
// event, of several rounds, the first of which warm up.
//
//   NODE_PATH=FOLDER/node_modules NODE_ENV=production node xstate.cjs
const { assign, createActor, setup } = require("xstate");
const { expect, measure, report } = require("./measuring.cjs");

const machine = setup({
  guards: { fine: ({ context }) => context.count >= 0 },
  actions: { count: assign({ count: ({ context }) => context.count + 1 }) },
}).createMachine({
  context: { count: 0 },
  initial: "left",
  states: {
    left: { on: { flip: { target: "right", guard: "fine", actions: "count" } } },
    right: { on: { flip: { target: "left", guard: "fine", actions: "count" } } },
  },
});

report(__filename, {
  machine() {
    const actor = createActor(machine).start();
    const time = measure((event) => actor.send(event), [{ type: "flip" }], 1_000, 200);
    const { context, value } = actor.getSnapshot();
    expect(context.count === 200_000 && value === "left", "it has not counted");
    return time;
  },
}, "XState " + require("xstate/package.json").version);
