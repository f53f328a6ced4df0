// What Redux takes for the counter, the toggle, a machine and whole collections, in nanoseconds for one
// dispatch: the least of the rounds, the first of which warm up.
//
//   NODE_PATH=/usr/share/nodejs NODE_ENV=production node redux.cjs
//
const { combineReducers, createStore } = require("redux");
const { expect, measure, report } = require("./measuring.cjs");

/** The counter with the gate's rule in the reducer, as Redux has no gates. */
function counter(name) {
  return (state = { count: 0 }, action) => {
    switch (action.type) {
      case name:
        if (!(state.count >= 0)) return state;
        return { ...state, count: state.count + 1 };
      default:
        return state;
    }
  };
}

/** The reducer for a toggle in a list, as Redux Fundamentals, part 3, writes it. */
function items(size) {
  const initial = { items: [] };
  for (let id = 1; id <= size; id++) {
    initial.items.push({ id, title: "item " + id, done: false, rank: id });
  }
  return (state = initial, action) => {
    switch (action.type) {
      case "toggle": {
        return {
          ...state,
          items: state.items.map((item) => {
            if (item.id !== action.payload) {
              return item;
            }
            return { ...item, done: !item.done };
          }),
        };
      }
      default:
        return state;
    }
  };
}

/** The same with normalized state, as Redux Fundamentals, part 7, writes it. */
function itemsByKey(size, keyOf) {
  const initial = { entities: {} };
  for (let rank = 1; rank <= size; rank++) {
    const id = keyOf(rank);
    initial.entities[id] = { id, title: "item " + rank, done: false, rank };
  }
  return (state = initial, action) => {
    switch (action.type) {
      case "toggle": {
        const item = state.entities[action.payload];
        return {
          ...state,
          entities: {
            ...state.entities,
            [action.payload]: { ...item, done: !item.done },
          },
        };
      }
      default:
        return state;
    }
  };
}

/** A machine that flips to and fro, with a guard: what may happen is a switch in each state. */
function side(state = { side: "left", count: 0 }, action) {
  const isFine = state.count >= 0;
  switch (state.side) {
    case "left":
      switch (action.type) {
        case "flip":
          return isFine ? { ...state, side: "right", count: state.count + 1 } : state;
        default:
          return state;
      }
    case "right":
      switch (action.type) {
        case "flip":
          return isFine ? { ...state, side: "left", count: state.count + 1 } : state;
        default:
          return state;
      }
    default:
      return state;
  }
}

/** Moves every entity, each of which `moved` makes anew. */
function world(size, moved) {
  const initial = { entities: [] };
  for (let i = 1; i <= size; i++) {
    initial.entities.push({ x: i, y: i + 0.5, dx: 0.5, dy: 1.5, hp: 100 });
  }
  return (state = initial, action) => {
    switch (action.type) {
      case "tick":
        return { ...state, entities: state.entities.map(moved) };
      default:
        return state;
    }
  };
}

/** Adds all lines up and changes one of them. */
function order(size) {
  const initial = { lines: [], total: 0 };
  for (let i = 1; i <= size; i++) {
    initial.lines.push({ sku: "s" + i, qty: (i % 7) + 1, cents: 100 + i });
  }
  return (state = initial, action) => {
    switch (action.type) {
      case "change":
        return {
          ...state,
          lines: state.lines.map((line, index) =>
            index === action.payload ? { ...line, qty: (line.qty % 9) + 1 } : line),
          total: state.lines.reduce((total, line) => total + line.qty * line.cents, 0),
        };
      default:
        return state;
    }
  };
}

const [count, rounds] = [1_000, 1_000];

// 99 rounds of 330: each of the ten is toggled an odd number of times in the end.
function measureToggles(reducer, itemsOf, idOf) {
  const toggled = Array.from({ length: 10 }, (_, i) => idOf(1 + i * 100));
  const store = createStore(reducer);
  const time = measure(store.dispatch, toggled.map((payload) => ({ type: "toggle", payload })), 330, 99);
  const done = itemsOf(store.getState()).filter((item) => item.done).map((item) => item.id);
  expect(done.join() === toggled.join(), "it has not toggled");
  return time;
}

function measureToggleByKey(keyOf) {
  return measureToggles(
    itemsByKey(1_000, keyOf), (state) => Object.values(state.entities), keyOf);
}

function measureTick(moved) {
  const store = createStore(world(500, moved));
  const time = measure(store.dispatch, [{ type: "tick" }], 50, 200);
  expect(store.getState().entities[499].x === 500 + 0.5 * 50 * 200, "the world has not moved");
  return time;
}

const measurements = {
  one_slice() {
    const store = createStore(counter("increment"));
    const time = measure(store.dispatch, [{ type: "increment" }], count, rounds);
    expect(store.getState().count === count * rounds, "it has not counted");
    return time;
  },
  ten_slices() {
    const names = Array.from({ length: 10 }, (_, i) => "increment" + (i + 1));
    const store = createStore(
      combineReducers(Object.fromEntries(names.map((n) => [n, counter(n)]))));
    const time = measure(store.dispatch, names.map((type) => ({ type })), count, rounds);
    for (const name of names) {
      expect(store.getState()[name].count === (count * rounds) / 10, name + " has not counted");
    }
    return time;
  },
  toggle: () => measureToggles(items(1_000), (state) => state.items, (rank) => rank),
  toggle_by_name: () => measureToggleByKey((rank) => "item-" + rank),
  toggle_by_number: () => measureToggleByKey((rank) => rank),
  machine() {
    const store = createStore(side);
    const time = measure(store.dispatch, [{ type: "flip" }], count, rounds);
    expect(store.getState().count === count * rounds, "it has not counted");
    return time;
  },
  tick: () => measureTick((e) => ({ ...e, x: e.x + e.dx, y: e.y + e.dy })),
  tick_without_spread: () =>
    measureTick((e) => ({ x: e.x + e.dx, y: e.y + e.dy, dx: e.dx, dy: e.dy, hp: e.hp })),
  order() {
    const store = createStore(order(200));
    const time = measure(store.dispatch, [{ type: "change", payload: 2 }], 100, 200);
    const { lines, total } = store.getState();
    const now = lines.reduce((sum, line) => sum + line.qty * line.cents, 0);
    expect(now - total === lines[2].cents, "it has not changed");
    return time;
  },
};

report(__filename, measurements, "Redux " + require("redux/package.json").version);
