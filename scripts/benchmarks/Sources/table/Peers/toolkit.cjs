// What Redux Toolkit takes for the counter, the toggle and whole collections, in nanoseconds for one dispatch: the
// least of the rounds, the first of which warm up. A reducer of `createSlice` writes to a draft; Immer copies what it wrote to.
//
//   NODE_PATH=FOLDER/node_modules NODE_ENV=production node toolkit.cjs
const { configureStore, createSlice } = require("@reduxjs/toolkit");
const { expect, measure, report } = require("./measuring.cjs");

/** A store as most programs make it, and its only action. */
function open(initialState, reducer) {
  const slice = createSlice({ name: "it", initialState, reducers: { act: reducer } });
  return { store: configureStore({ reducer: slice.reducer }), act: slice.actions.act };
}

function measureToggles(initial, itemOf, idOf) {
  const toggled = Array.from({ length: 10 }, (_, i) => idOf(1 + i * 100));
  const { store, act } = open(initial, (state, action) => {
    const item = itemOf(state.items, action.payload);
    item.done = !item.done;
  });
  // 99 rounds of 330: each of the ten is toggled an odd number of times in the end.
  const time = measure(store.dispatch, toggled.map((id) => act(id)), 330, 99);
  const done = Object.values(store.getState().items).filter((item) => item.done);
  expect(done.map((item) => item.id).join() === toggled.join(), "it has not toggled");
  return time;
}

const record = (id, rank) => ({ id, title: "item " + rank, done: false, rank });
const ranks = Array.from({ length: 1_000 }, (_, i) => i + 1);

const measurements = {
  one_slice() {
    const { store, act } = open({ count: 0 }, (state) => {
      if (state.count >= 0) state.count = state.count + 1;
    });
    const time = measure(store.dispatch, [act()], 1_000, 300);
    expect(store.getState().count === 300_000, "it has not counted");
    return time;
  },
  toggle: () => measureToggles(
    { items: ranks.map((rank) => record(rank, rank)) },
    (items, index) => items[index - 1], (rank) => rank),
  toggle_by_name: () => measureToggles(
    { items: Object.fromEntries(ranks.map((rank) => ["item-" + rank, record("item-" + rank, rank)])) },
    (items, id) => items[id], (rank) => "item-" + rank),
  tick() {
    const entities = Array.from(
      { length: 500 }, (_, i) => ({ x: i + 1, y: i + 1.5, dx: 0.5, dy: 1.5, hp: 100 }));
    const { store, act } = open({ entities }, (state) => {
      for (const e of state.entities) {
        e.x = e.x + e.dx;
        e.y = e.y + e.dy;
      }
    });
    const time = measure(store.dispatch, [act()], 10, 100);
    expect(store.getState().entities[499].x === 500 + 0.5 * 1_000, "the world has not moved");
    return time;
  },
  order() {
    const lines = Array.from(
      { length: 200 }, (_, i) => ({ sku: "s" + (i + 1), qty: ((i + 1) % 7) + 1, cents: 101 + i }));
    const { store, act } = open({ lines, total: 0 }, (state) => {
      let total = 0;
      for (const line of state.lines) total = total + line.qty * line.cents;
      state.lines[2].qty = (state.lines[2].qty % 9) + 1;
      state.total = total;
    });
    const time = measure(store.dispatch, [act()], 50, 100);
    const { lines: found, total } = store.getState();
    const now = found.reduce((sum, line) => sum + line.qty * line.cents, 0);
    const { qty, cents } = found[2];
    expect(now - total === (qty === 1 ? -8 : 1) * cents, "it has not changed");
    return time;
  },
};

report(
  __filename, measurements, "Redux Toolkit " + require("@reduxjs/toolkit/package.json").version);
