// Draws expressions of ECMAScript that documents may have, and writes what Node.js makes of them.
//
//   node ecmascript.js COUNT SEED     lines of an expression, a tab, and its value, which is a text
//
// What has no value (an error) is left out, and so is `null`, which is `undefined` in a document.
"use strict";

let seed = Number(process.argv[3] || 1) || 1;
function below(count) {
  seed ^= seed << 13;
  seed ^= seed >>> 17;
  seed ^= seed << 5;
  return (seed >>> 0) % count;
}
const pick = (all) => all[below(all.length)];

const LEAVES = [
  "0", "1", "2", "3", "10", "0.1", "0.2", "1e20", "1e21", "1e-7", "0.000001", "123456789012345680000",
  "9007199254740993", "9223372036854775807", "0xff", "'5'", "''", "' 12 '", "'abc'", "'a,b,c'", "'x'", "'0x10'",
  "'1e3'", "'Infinity'", "true", "false", "n", "x", "s", "t", "b", "l", "o.a", "o.z", "l[0]", "l[1]", "s[1]",
  "'abc'[1]", "s.length", "l.length", "Infinity", "NaN", "undefined", "s[9]", "l[9]", "'\u{1F600}x'", "' a\\n'",
  "[1, 'b']", "{ a: 1 }", "[]", "1/3", "-1", "-0.5", "2.5", "'h\u00e9llo'",
];
// Methods with the number of their arguments; below 0, the first is a small number.
const METHODS = [
  ["charAt", 1], ["charCodeAt", 1], ["indexOf", 1], ["includes", 1], ["slice", 2], ["substring", 2], ["substr", 2],
  ["toUpperCase", 0], ["toLowerCase", 0], ["trim", 0], ["split", 1], ["startsWith", 1], ["endsWith", 1],
  ["repeat", -1], ["replace", 2], ["padStart", -2], ["concat", 1], ["lastIndexOf", 1], ["toString", 0],
  ["toFixed", -1], ["join", 1],
];
const FUNCTIONS = [
  ["Math.abs", 1], ["Math.floor", 1], ["Math.ceil", 1], ["Math.round", 1], ["Math.max", 2], ["Math.min", 2],
  ["Math.sqrt", 1], ["Math.pow", 2], ["Math.sign", 1], ["Math.trunc", 1], ["parseInt", 1], ["parseFloat", 1],
  ["Number", 1], ["String", 1], ["Boolean", 1], ["isNaN", 1], ["isFinite", 1], ["JSON.stringify", 1],
  ["Number.isInteger", 1], ["Array.isArray", 1],
];

function several(count, depth, isSmall) {
  return Array.from({ length: count }, (_, i) => (isSmall && i === 0 ? String(below(5)) : drawn(depth))).join(", ");
}

function drawn(depth) {
  if (depth <= 0 || below(6) === 0) return pick(LEAVES);
  const next = depth - 1;
  switch (below(10)) {
    case 0: case 1: case 2: return `${drawn(next)} ${pick(["+", "-", "*", "/", "%", "+"])} ${drawn(next)}`;
    case 3: return `${drawn(next)} ${pick(["<", ">", "<=", ">=", "==", "!=", "===", "!=="])} ${drawn(next)}`;
    case 4: return `${drawn(next)} ${pick(["&&", "||"])} ${drawn(next)}`;
    case 5: return `${pick(["+", "-", "!"])}(${drawn(next)})`;
    case 6: return `(${drawn(next)})`;
    case 7: {
      const [name, count] = pick(METHODS);
      return `(${drawn(next)}).${name}(${several(Math.abs(count), depth - 2, count < 0)})`;
    }
    case 8: {
      const [name, count] = pick(FUNCTIONS);
      return `${name}(${several(count, next, false)})`;
    }
    default:
      return below(2) ? `(${drawn(next)} ? ${drawn(next)} : ${drawn(next)})` : `typeof (${drawn(next)})`;
  }
}

function value(expression) {
  const f = new Function("n", "x", "s", "t", "b", "l", "o", `return (${expression})`);
  return f(7, 2.5, "hello", "", true, [1, 2, 3], { a: 1, z: "q" });
}

for (let left = Number(process.argv[2] || 600); left > 0; ) {
  const expression = drawn(1 + below(3));
  let told;
  try {
    const isObject = typeof value(expression) === "object";
    told = isObject ? `JSON.stringify(${expression})` : `typeof (${expression}) + ':' + (${expression})`;
    const text = JSON.stringify(value(told));
    // Half a character is no text here.
    if (/\\ud[89a-f]/.test(text)) continue;
    console.log(`${told}\t${text}`);
    left -= 1;
  } catch {
    // There is none.
  }
}
