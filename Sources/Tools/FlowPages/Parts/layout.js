// Lays a chart out from left to right, or downwards: each state in a layer, each label in a layer of its own between them, so that no
// label lies on a state; what is inside a state is laid out first. Edges that lead back are laid like others and drawn
// the other way round.

const gaps = { layer: 20, node: 16, padding: 14, title: 26, line: 15 };

function layOut(chart, measure, down = false) {
  const plan = new ChartPlan(chart, measure, down);
  const root = plan.container(-1);
  return { width: root.w, height: root.h, nodes: plan.nodes, edges: plan.edges };
}

class ChartPlan {
  constructor(chart, measure, down) {
    Object.assign(this, { chart, measure, down, nodes: new Map(), edges: [], boxes: new Map() });
    const add = (key, kind, parent, more) => {
      if (!this.nodes.has(key)) this.nodes.set(key, { key, kind, parent, x: 0, y: 0, w: 0, h: 0, ...more });
    };
    chart.states.forEach((state, number) =>
      add(`s${number}`, state.outer ? "outer" : "state", state.parent ?? -1, { state, number }));
    this.arrows = chart.arrows.map(arrow => ({ arrow, from: this.end(arrow.from, add), to: this.end(arrow.to, add) }));
    chart.states.forEach((state, number) => {
      if (!state.initial || state.region) return;
      const key = `initial${state.parent ?? -1}`;
      add(key, "initial", state.parent ?? -1);
      this.arrows.push({ arrow: { labels: [], actions: [], begins: true }, from: key, to: `s${number}` });
    });
  }

  end({ kind, state, number }, add) {
    if (kind === "state") return `s${state}`;
    const key = kind === "fork" ? `fork${number}` : `${kind}${state ?? -1}`;
    add(key, kind, state ?? -1);
    return key;
  }

  // The containers around a node, the innermost first.
  around(key) {
    const found = [];
    for (let at = this.nodes.get(key).parent; ; at = this.chart.states[at].parent ?? -1) {
      found.push(at);
      if (at === -1) return found;
    }
  }

  // What stands for a node right inside a container.
  lifted(key, container) {
    let node = this.nodes.get(key);
    while (node.parent !== container) node = this.nodes.get(`s${node.parent}`);
    return node;
  }

  container(number) {
    const children = [...this.nodes.values()].filter(node => node.parent === number);
    for (const node of children) this.size(node);
    const state = this.chart.states[number];
    const local = this.arrows.filter(({ from, to }) => {
      const outside = this.around(to);
      return this.around(from).find(each => outside.includes(each)) === number;
    }).map(each => ({ ...each, u: this.lifted(each.from, number), v: this.lifted(each.to, number) }));
    const isParallel = children.some(node => node.state?.region);
    const size = isParallel ? this.stack(children) : this.layers(children, local);
    const top = number === -1 ? 0 : gaps.title;
    const pad = number === -1 ? 8 : gaps.padding;
    const width = Math.max(size.w, state ? this.measure(state.name) + 8 : 0);
    for (const node of children) { node.x += pad; node.y += pad + top; }
    for (const edge of size.edges) {
      for (const point of edge.points) { point.x += pad; point.y += pad + top; }
      if (edge.label) { edge.label.x += pad; edge.label.y += pad + top; }
      this.edges.push({ ...edge, container: number });
    }
    return { w: width + 2 * pad, h: size.h + 2 * pad + top };
  }

  size(node) {
    if (node.kind === "outer") Object.assign(node, this.container(node.number));
    else if (node.kind === "state") Object.assign(node, { w: Math.max(56, this.measure(node.state.name) + 26), h: 30 });
    else if (node.kind === "any") Object.assign(node, { w: 66, h: 22 });
    else if (node.kind === "fork") Object.assign(node, { w: 5, h: 36 });
    else Object.assign(node, node.kind === "initial" ? { w: 12, h: 12 } : { w: 24, h: 24 });
  }

  stack(children) {
    let y = 0;
    const width = Math.max(0, ...children.map(node => node.w));
    for (const node of children) {
      Object.assign(node, { x: 0, y });
      if (node.kind === "outer" || node.kind === "state") node.w = width;
      y += node.h + 10;
    }
    return { w: width, h: Math.max(0, y - 10), edges: [] };
  }

  layers(children, local) {
    const edges = local.filter(({ u, v }) => u !== v);
    const loops = local.filter(({ u, v }) => u === v);
    for (const loop of loops) this.makeRoom(loop);
    rank(children, edges);
    const layers = [];
    const put = (item, layer) => ((layers[layer] ??= []).push(item), item);
    for (const node of children) {
      const size = this.turned({ w: Math.max(node.w, node.roomFor ?? 0), h: node.h + (node.loop ?? 0) });
      node.slot = put({ node, w: size.w, h: size.h, near: [[], []] }, node.rank * 2);
    }
    const chains = edges.map(edge => this.chain(edge, put));
    for (let at = 0; at < layers.length; at += 1) layers[at] ??= [];
    for (const chain of chains) {
      chain.items.slice(1).forEach((item, index) => {
        chain.items[index].near[1].push(item);
        item.near[0].push(chain.items[index]);
      });
    }
    arrange(layers);
    let x = 0;
    for (const layer of layers) {
      const width = Math.max(0, ...layer.map(item => item.w));
      for (const item of layer) item.x = x + (item.node ? (width - item.w) / 2 : 0);
      for (const item of layer) if (!item.node) item.w = width;
      x += width + gaps.layer;
    }
    const least = Math.min(0, ...layers.flat().map(item => item.y - item.h / 2));
    let height = 0;
    for (const item of layers.flat()) {
      item.y -= least;
      height = Math.max(height, item.y + item.h / 2);
      if (!item.node) continue;
      const corner = this.point(item.x, item.y - item.h / 2), size = this.turned(item);
      Object.assign(item.node, { x: corner.x + (size.w - item.node.w) / 2, y: corner.y + (item.node.loop ?? 0) });
    }
    const routed = [...chains.map(chain => this.route(chain)), ...loops.map(loop => this.loop(loop))];
    ports(chains, this);
    for (const edge of routed) edge.finish();
    return { ...this.turned({ w: Math.max(0, x - gaps.layer), h: height }), edges: routed };
  }

  // Layers are counted along, items in them across: as they lie on the page.
  turned({ w, h }) { return this.down ? { w: h, h: w } : { w, h }; }
  point(along, across) { return this.down ? { x: across, y: along } : { x: along, y: across }; }
  across({ x, y, w, h }) { return this.down ? x + w / 2 : y + h / 2; }
  // Where a line begins or ends at a box.
  exit(box, across) { return this.down ? { x: across, y: box.y + box.h } : { x: box.x + box.w, y: across }; }
  entry(box, across) { return this.down ? { x: across, y: box.y } : { x: box.x, y: across }; }

  labelOf(arrow) {
    const lines = arrow.labels.flatMap(label => label.split("\n")).map(line => line.length > 40 ? `${line.slice(0, 39)}\u2026` : line);
    if (!lines.length) return null;
    return { lines, w: Math.max(...lines.map(line => this.measure(line, 11.5))) + 10, h: lines.length * gaps.line + 6 };
  }

  // The items that an edge passes from the left to the right: its ends, its label, and a point in each layer between.
  chain(edge, put) {
    const isBack = edge.u.rank > edge.v.rank;
    const [left, right] = isBack ? [edge.v, edge.u] : [edge.u, edge.v];
    const label = this.labelOf(edge.arrow);
    const first = left.rank * 2 + 1, last = right.rank * 2 - 1;
    const at = isBack ? last : first;
    const items = [left.slot];
    for (let layer = first; layer <= last; layer += 1) {
      // Downwards the line runs straight on, and its label stands on the right of it.
      const size = layer !== at || !label ? { w: 0, h: 4 } : this.down ? { label, w: label.h, h: 2 * label.w } : { label, w: label.w, h: label.h };
      items.push(put({ ...size, near: [[], []] }, layer));
    }
    items.push(right.slot);
    return { edge, isBack, items, left, right, label };
  }

  makeRoom({ u, arrow, from, to }) {
    if (from !== to) return;
    const label = this.labelOf(arrow);
    u.loops = [...u.loops ?? [], label];
    u.loop = Math.max(u.loop ?? 0, 18 + (label?.h ?? 0));
    if (label) u.roomFor = Math.max(u.roomFor ?? 0, label.w);
  }

  loop({ u, arrow, from, to }) {
    if (from !== to) {
      // From the border of a state to something inside it, or the other way round.
      const edge = { arrow, points: [], finish: () => {
        const [one, other] = [this.place(from, u.parent), this.place(to, u.parent)];
        const isOut = this.nodes.get(from) !== u;
        const at = this.across(isOut ? one : other);
        edge.points = isOut ? [this.exit(one, at), this.exit(u, at)] : [this.entry(u, at), this.entry(other, at)];
        const label = this.labelOf(arrow);
        if (label) edge.label = { ...label, x: Math.min(...edge.points.map(each => each.x)) + 4, y: edge.points[0].y - label.h };
      } };
      return edge;
    }
    const edge = { arrow, isLoop: true, points: [], finish: () => {
      const middle = u.x + u.w / 2;
      edge.points = [{ x: middle - 14, y: u.y }, { x: middle - 14, y: u.y - 16 }, { x: middle + 14, y: u.y - 16 }, { x: middle + 14, y: u.y }];
      const label = this.labelOf(arrow);
      if (label) edge.label = { ...label, x: middle - label.w / 2, y: u.y - 16 - label.h };
    } };
    return edge;
  }

  // Where a node lies in a container around it.
  place(key, container) {
    const node = this.nodes.get(key);
    const box = { x: node.x, y: node.y, w: node.w, h: node.h };
    for (let at = node.parent; at !== container; at = this.chart.states[at].parent ?? -1) {
      const outer = this.nodes.get(`s${at}`);
      box.x += outer.x;
      box.y += outer.y;
    }
    return box;
  }

  route(chain) {
    const { edge, isBack, items, label } = chain;
    const container = edge.u.parent;
    const made = { arrow: edge.arrow, points: [], finish: () => {
      const [leftKey, rightKey] = isBack ? [edge.to, edge.from] : [edge.from, edge.to];
      const points = [];
      const [one, other] = [this.place(leftKey, container), this.place(rightKey, container)];
      if (leftKey !== chain.left.key) points.push(this.exit(one, this.across(one)));
      points.push(this.exit(chain.left, chain.from));
      for (const item of items.slice(1, -1)) {
        const base = item.label && !this.down ? item.y + item.h / 2 - 3 : item.y;
        points.push(this.point(item.x, base), this.point(item.x + item.w, base));
        if (item.label) {
          const size = this.turned(item), corner = this.point(item.x, item.y - item.h / 2);
          made.label = { ...label, x: corner.x + (this.down ? size.w / 2 : (size.w - label.w) / 2), y: corner.y + (this.down ? (size.h - label.h) / 2 : 0) };
        }
      }
      points.push(this.entry(chain.right, chain.to));
      if (rightKey !== chain.right.key) points.push(this.entry(other, this.across(other)));
      made.points = isBack ? points.reverse() : points;
    } };
    return made;
  }
}

// Gives each node the number of its layer: one more than that of all from which an edge comes, but for edges that lead back.
function rank(nodes, edges) {
  const out = new Map(nodes.map(node => [node, []]));
  for (const { u, v } of edges) out.get(u).push(v);
  const state = new Map();
  const back = new Set();
  const order = [];
  const visit = root => {
    const stack = [[root, 0]];
    state.set(root, 1);
    while (stack.length) {
      const top = stack.at(-1);
      const next = out.get(top[0])[top[1]++];
      if (!next) {
        state.set(top[0], 2);
        order.push(top[0]);
        stack.pop();
      } else if (!state.has(next)) {
        state.set(next, 1);
        stack.push([next, 0]);
      } else if (state.get(next) === 1) back.add(`${top[0].key} ${next.key}`);
    }
  };
  const entering = node => node.kind === "initial" || node.state?.initial;
  for (const node of [...nodes].sort((a, b) => entering(b) - entering(a))) if (!state.has(node)) visit(node);
  for (const node of nodes) node.rank = 0;
  const forward = edges.map(({ u, v }) => back.has(`${u.key} ${v.key}`) ? [v, u] : [u, v]);
  const after = new Map(nodes.map(node => [node, []]));
  for (const [u, v] of forward) after.get(u).push(v);
  const sorted = order.reverse();
  for (let round = 0; round < nodes.length; round += 1) {
    let moved = false;
    for (const u of sorted) for (const v of after.get(u)) if (v.rank < u.rank + 1) { v.rank = u.rank + 1; moved = true; }
    if (!moved) break;
  }
  // What nothing leads to stands right before what it leads to.
  for (const node of nodes) {
    if (forward.some(([, v]) => v === node) || !after.get(node).length) continue;
    node.rank = Math.max(0, Math.min(...after.get(node).map(each => each.rank)) - 1);
  }
}
