// Draws a chart and lights it up: `show({ on, counts, last, may })` tells which states are active, or how many records
// are where, along which arrow the last step went, and which actions may pass.

// As `element`, for drawings.
function drawn(name, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes ?? {}))
    if (value !== undefined && value !== null) made.setAttribute(key, String(value));
  made.append(...children.filter(Boolean).map(child => typeof child === "string" ? visible(child) : child));
  return made;
}

let measuring;
function textWidth(text, size = 12) {
  measuring ??= document.createElement("canvas").getContext("2d");
  measuring.font = `${size}px system-ui, sans-serif`;
  return measuring.measureText(text).width;
}

function drawChart(chart, { down = false, title = `machine ${chart.name}` } = {}) {
  const plan = layOut(chart, textWidth, down);
  const offset = new Map([[-1, { x: 0, y: 0 }]]);
  const place = number => {
    if (offset.has(number)) return offset.get(number);
    const node = plan.nodes.get(`s${number}`);
    const around = place(node.parent);
    offset.set(number, { x: around.x + node.x, y: around.y + node.y });
    return offset.get(number);
  };
  const description = drawn("desc", {});
  const svg = drawn("svg", {
    class: "chart", role: "img", "aria-label": title, width: Math.ceil(plan.width), height: Math.ceil(plan.height),
    viewBox: `0 0 ${Math.ceil(plan.width)} ${Math.ceil(plan.height)}`,
  }, description);
  const states = new Map();
  const sorted = [...plan.nodes.values()].sort((a, b) => (b.kind === "outer") - (a.kind === "outer") || (a.number ?? 0) - (b.number ?? 0));
  for (const node of sorted) {
    const around = place(node.parent);
    const made = drawNode(node, around.x + node.x, around.y + node.y);
    if (node.state) states.set(node.state.path, made);
    svg.append(made);
  }
  const arrows = plan.edges.map(edge => {
    const made = drawEdge(edge, place(edge.container), down);
    svg.append(made.group);
    return { edge, ...made };
  });
  const show = ({ on = [], counts, last, may = {} }) => {
    const lit = new Set(on);
    for (const [path, group] of states) {
      group.classList.toggle("lit", lit.has(path) || counts?.[path] > 0);
      const count = group.querySelector(".count");
      if (count) count.textContent = counts?.[path] ? String(counts[path]) : "";
    }
    for (const { edge, group, tip } of arrows) {
      const { arrow } = edge;
      const from = arrow.from;
      const isHere = !from || counts || from.kind !== "state" && from.kind !== "any"
        || (from.kind === "state" ? lit.has(chart.states[from.state].path) : from.state === undefined || lit.has(chart.states[from.state].path));
      const refusals = arrow.actions.filter(name => may[name]?.may === false);
      const isRefused = arrow.actions.length > 0 && refusals.length === arrow.actions.length;
      group.classList.toggle("cannot", !arrow.begins && (!isHere || isRefused));
      group.classList.toggle("last", Boolean(last && isStep(chart, arrow, last)));
      tip.textContent = visible(refusals.length ? refusals.map(name => `${may[name].who ?? ""} ${may[name].why ?? ""}`).join("\n")
        : !isHere && !arrow.begins ? "not from the present state" : "");
    }
    description.textContent = counts ? Object.entries(counts).map(([path, count]) => `${count} in ${path}`).join(", ")
      : on.length ? `in ${on.join(", ")}` : "";
  };
  return { svg, show, width: plan.width, height: plan.height };
}

// Whether a step of an action, from some active states to others, went along an arrow.
function isStep(chart, arrow, { action, before, after }) {
  if (!arrow.actions.includes(action)) return false;
  const path = end => end.state === undefined ? null : chart.states[end.state].path;
  const [from, to] = [path(arrow.from), path(arrow.to)];
  const left = arrow.from.kind === "fork" || from === null || before.includes(from);
  const entered = arrow.to.kind === "fork" || to === null || after.includes(to);
  const moved = to === null || arrow.to.kind !== "state" || !before.includes(to) || from === to
    || chart.states[arrow.to.state].outer;
  return left && entered && moved;
}

function drawNode(node, x, y) {
  const rect = (more, inset = 0) => drawn("rect", {
    x: x + inset, y: y + inset, width: node.w - 2 * inset, height: node.h - 2 * inset, ...more,
  });
  if (node.kind === "outer") {
    return drawn("g", { class: `outer${node.state.region ? " region" : ""}` }, rect({ rx: 8 }),
      drawn("text", { x: x + 10, y: y + 18 }, node.state.name), count(x + node.w - 10, y + 18, "end"), notes(node));
  }
  if (node.kind === "state") {
    return drawn("g", { class: `state${node.state.final ? " final" : ""}` }, rect({ rx: 15 }),
      node.state.final ? rect({ rx: 12, class: "inner" }, 3) : null,
      drawn("text", { x: x + node.w / 2, y: y + node.h / 2 + 4, "text-anchor": "middle" }, node.state.name),
      count(x + node.w - 4, y - 3, "end"), notes(node));
  }
  const [cx, cy] = [x + node.w / 2, y + node.h / 2];
  if (node.kind === "initial") return drawn("g", { class: "mark" }, drawn("circle", { cx, cy, r: 5 }));
  if (node.kind === "fork") return drawn("g", { class: "mark" }, rect({ class: "bar" }));
  const text = { any: "any state", history: "H", deep: "H*" }[node.kind];
  return drawn("g", { class: "mark" }, rect({ class: "ring", rx: node.kind === "any" ? 4 : 12 }),
    drawn("text", { x: cx, y: cy + 4, "text-anchor": "middle" }, text));
}

const count = (x, y, anchor) => drawn("text", { class: "count", x, y, "text-anchor": anchor });
const notes = node => node.state.notes?.length ? drawn("title", {}, [node.state.path, ...node.state.notes].join("\n")) : null;

function drawEdge(edge, { x, y }, down) {
  const points = edge.points.map(point => ({ x: point.x + x, y: point.y + y }));
  let path = `M${points[0].x} ${points[0].y}`;
  points.slice(1).forEach((point, index) => {
    const before = points[index];
    const across = down ? 0 : (point.x - before.x) / 2, along = down ? (point.y - before.y) / 2 : 0;
    path += edge.isLoop || before.y === point.y || before.x === point.x ? `L${point.x} ${point.y}`
      : `C${before.x + across} ${before.y + along} ${point.x - across} ${point.y - along} ${point.x} ${point.y}`;
  });
  const end = points.at(-1), before = points.at(-2);
  const turn = edge.isLoop ? 90 : down ? end.y < before.y ? -90 : 90 : end.x < before.x ? 180 : 0;
  const tip = drawn("title", {});
  const label = edge.label && drawn("text", {}, ...edge.label.lines.map((line, index) =>
    drawn("tspan", { x: edge.label.x + x + 5, y: edge.label.y + y + 12 + index * gaps.line }, line)));
  const group = drawn("g", { class: "arrow" }, tip, drawn("path", { d: path, "stroke-dasharray": edge.arrow.eventless ? "4 3" : null }),
    drawn("path", { class: "head", d: "M0 0L-7 -3.4L-7 3.4Z", transform: `translate(${end.x} ${end.y}) rotate(${turn})` }), label);
  return { group, tip };
}
