// What Redux takes for the counter and for the toggle, in nanoseconds for one dispatch: the least of
// the rounds, the first of which warm up.
//
//   NODE_PATH=/usr/share/nodejs NODE_ENV=production node redux.cjs
const { combineReducers, createStore } = require("redux");

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
function itemsByName(size) {
  const initial = { entities: {} };
  for (let rank = 1; rank <= size; rank++) {
    const id = "item-" + rank;
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

function expect(holds, what) {
  if (!holds) throw new Error(what);
}

/** The least time of one dispatch; each round dispatches `count` actions. */
function measure(store, actions, count, rounds) {
  let best = Infinity;
  for (let round = 0; round < rounds; round++) {
    const begin = process.hrtime.bigint();
    for (let i = 0; i < count; i++) store.dispatch(actions[i % actions.length]);
    best = Math.min(best, Number(process.hrtime.bigint() - begin) / count);
  }
  return best;
}

const [count, rounds] = [1_000, 1_000];
const names = Array.from({ length: 10 }, (_, i) => "increment" + (i + 1));

const one = createStore(counter("increment"));
console.log("one_slice", measure(one, [{ type: "increment" }], count, rounds));
expect(one.getState().count === count * rounds, "one slice has not counted");

const ten = createStore(combineReducers(Object.fromEntries(names.map((n) => [n, counter(n)]))));
console.log("ten_slices", measure(ten, names.map((type) => ({ type })), count, rounds));
for (const name of names) {
  expect(ten.getState()[name].count === (count * rounds) / 10, name + " has not counted");
}

// 99 rounds of 990: each of the ten is toggled an odd number of times in the end.
function measureToggles(name, reducer, itemsOf, idOf) {
  const toggled = Array.from({ length: 10 }, (_, i) => idOf(1 + i * 100));
  const store = createStore(reducer);
  console.log(name, measure(store, toggled.map((payload) => ({ type: "toggle", payload })), 990, 99));
  const done = itemsOf(store.getState()).filter((item) => item.done).map((item) => item.id);
  expect(done.join() === toggled.join(), name + " has not toggled");
}
measureToggles("toggle", items(1_000), (state) => state.items, (rank) => rank);
measureToggles(
  "toggle_by_name", itemsByName(1_000), (state) => Object.values(state.entities),
  (rank) => "item-" + rank);

console.log("version", "Redux", require("redux/package.json").version + ", Node", process.version);
