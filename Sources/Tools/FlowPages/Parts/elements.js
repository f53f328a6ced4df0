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
  microseconds < 1e6 ? `${(microseconds / 1000).toFixed(1)} ms` : `${(microseconds / 1e6).toFixed(2)} s`;

// Seconds as one says them.
function span(seconds) {
  const whole = Math.abs(seconds);
  const sign = seconds < 0 ? "\u2212" : "";
  if (whole < 10) return `${sign}${Number(whole.toFixed(3))} s`;
  if (whole < 120) return `${sign}${Number(whole.toFixed(1))} s`;
  if (whole < 7200) return `${sign}${Math.floor(whole / 60)} min ${Math.floor(whole % 60)} s`;
  if (whole < 172800) return `${sign}${Math.floor(whole / 3600)} h ${Math.floor(whole % 3600 / 60)} min`;
  return `${sign}${Math.floor(whole / 86400)} d ${Math.floor(whole % 86400 / 3600)} h`;
}
