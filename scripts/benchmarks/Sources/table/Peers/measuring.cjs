// What the peers in JavaScript share. Each measurement is a process of its own, since what V8 has seen of other
// reducers makes the next one slower; the best of three counts, since V8 does not always compile the same.
const { execFileSync } = require("child_process");

function expect(holds, what) {
  if (!holds) throw new Error(what);
}

/** The least nanoseconds of one dispatch; each round dispatches `count` actions. */
function measure(dispatch, actions, count, rounds) {
  let best = Infinity;
  for (let round = 0; round < rounds; round++) {
    const begin = process.hrtime.bigint();
    for (let i = 0; i < count; i++) dispatch(actions[i % actions.length]);
    best = Math.min(best, Number(process.hrtime.bigint() - begin) / count);
  }
  return best;
}

/** Prints the measurement that the command line names; if it names none, each of them, and the version. */
function report(file, measurements, version) {
  const name = process.argv[2];
  if (name) {
    console.log(measurements[name]());
    return;
  }
  for (const each of Object.keys(measurements)) {
    const once = () => Number(execFileSync(process.execPath, [file, each]));
    console.log(each, Math.min(once(), once(), once()));
  }
  console.log("version", version + ", Node", process.version);
}

module.exports = { expect, measure, report };
