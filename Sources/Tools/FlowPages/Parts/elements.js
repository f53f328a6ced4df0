"use strict";
// Control characters as Lua writes them: a browser shows nothing, or a box.
const visible = text => text.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g,
  each => each === "\r" ? "\\r" : each < "\x80" ? `\\${String(each.charCodeAt(0)).padStart(3, "0")}`
    : `\\u{${each.charCodeAt(0).toString(16)}}`);

// An element with a class, or with attributes and listeners; texts become text nodes, never markup.
function element(name, attributes, ...children) {
  const made = document.createElement(name);
  dress(made, attributes);
  made.append(...children.flat().filter(child => child !== null && child !== undefined && child !== false)
    .map(child => typeof child === "string" || typeof child === "number" ? visible(String(child)) : child));
  return made;
}

function dress(made, attributes) {
  if (typeof attributes === "string") attributes = attributes ? { class: attributes } : {};
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) made[name] = value;
    else if (name === "value") made.value = value;
    else made.setAttribute(name, value === true ? "" : visible(String(value)));
  }
}

const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;
const time = microseconds => microseconds === undefined ? "" :
  microseconds < 1e6 ? `${(microseconds / 1000).toFixed(1)} ms` : microseconds < 6e7 ? `${(microseconds / 1e6).toFixed(2)} s` : span(microseconds / 1e6);

// Seconds as one says them, in the two largest units.
const units = [["days", 86400], ["h", 3600], ["min", 60], ["s", 1]];

function span(seconds) {
  const sign = seconds < 0 ? "\u2212" : "";
  const size = Math.abs(seconds);
  if (size < 59.95) return `${sign}${Number(size.toFixed(size < 10 ? 3 : 1))} s`;
  const whole = Math.max(60, Math.floor(size));
  const first = units.findIndex(([, length]) => whole >= length);
  const [[unit, length], [next, short]] = units.slice(first);
  const [count, rest] = [Math.floor(whole / length), Math.floor(whole % length / short)];
  return `${sign}${count} ${unit === "days" && count === 1 ? "day" : unit}${rest ? ` ${rest} ${next}` : ""}`;
}
