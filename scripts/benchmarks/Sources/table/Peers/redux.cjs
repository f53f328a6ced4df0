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

/** The reducer for a toggle as the documentation of Redux writes it. */
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

const toggles = Array.from({ length: 10 }, (_, i) => ({ type: "toggle", payload: 1 + i * 100 }));
const list = createStore(items(1_000));
// 99 rounds of 990: each of the ten is toggled an odd number of times in the end.
console.log("toggle", measure(list, toggles, 990, 99));
const done = list.getState().items.filter((item) => item.done).map((item) => item.id);
expect(done.join() === toggles.map((a) => a.payload).join(), "the toggles have not toggled");

console.log("version", "Redux", require("redux/package.json").version + ", Node", process.version);
