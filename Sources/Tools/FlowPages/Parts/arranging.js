// Puts the items of layers in an order in which few lines cross, and then where their lines are short.
function arrange(layers) {
  const number = () => layers.forEach(layer => layer.forEach((item, index) => { item.order = index; }));
  number();
  for (let sweep = 0; sweep < 8; sweep += 1) {
    const side = sweep % 2;
    for (const layer of side ? [...layers].reverse() : layers) {
      for (const item of layer) {
        const near = item.near[side];
        item.wish = near.length ? near.reduce((sum, each) => sum + each.order, 0) / near.length : item.order;
      }
      layer.sort((a, b) => a.wish - b.wish || a.order - b.order);
      layer.forEach((item, index) => { item.order = index; });
    }
  }
  for (const layer of layers) {
    let y = 0;
    for (const item of layer) {
      item.y = y + item.h / 2;
      y += item.h + gaps.node;
    }
  }
  for (let sweep = 0; sweep < 10; sweep += 1) {
    for (const layer of sweep % 2 ? [...layers].reverse() : layers) {
      for (const item of layer) {
        const near = sweep > 7 ? [...item.near[0], ...item.near[1]] : item.near[sweep % 2].length ? item.near[sweep % 2] : item.near[1 - sweep % 2];
        item.wish = near.length ? near.reduce((sum, each) => sum + each.y, 0) / near.length : item.y;
      }
      settle(layer);
    }
  }
}

// As near to where each wants to be as the room between them lets them: pools of neighbours that would overlap move as one.
function settle(layer) {
  let offset = 0;
  const pools = [];
  layer.forEach((item, index) => {
    if (index > 0) offset += (layer[index - 1].h + item.h) / 2 + gaps.node;
    item.offset = offset;
    pools.push({ sum: item.wish - offset, count: 1 });
    while (pools.length > 1 && pools.at(-2).sum / pools.at(-2).count > pools.at(-1).sum / pools.at(-1).count) {
      const last = pools.pop();
      pools.at(-1).sum += last.sum;
      pools.at(-1).count += last.count;
    }
  });
  let at = 0;
  for (const { sum, count } of pools)
    for (let each = 0; each < count; each += 1, at += 1) layer[at].y = sum / count + layer[at].offset;
}

// Spreads the ends of edges along the sides of what they lead to, in the order of their other ends. What leads to
// something inside goes in right beside that.
function ports(chains, plan) {
  const sides = new Map();
  const note = (node, side, key, other, set) => {
    if (key !== node.key) {
      set(plan.across(plan.place(key, node.parent)));
      return;
    }
    const name = `${node.key} ${side}`;
    if (!sides.has(name)) sides.set(name, { node, ends: [] });
    sides.get(name).ends.push({ at: other.y, set });
  };
  for (const chain of chains) {
    const [left, right] = chain.isBack ? [chain.edge.to, chain.edge.from] : [chain.edge.from, chain.edge.to];
    note(chain.left, "exit", left, chain.items[1], at => { chain.from = at; });
    note(chain.right, "entry", right, chain.items.at(-2), at => { chain.to = at; });
  }
  for (const { node, ends } of sides.values()) {
    ends.sort((a, b) => a.at - b.at);
    const [from, room] = plan.down ? [node.x, node.w] : [node.y, node.h];
    ends.forEach((end, index) => end.set(from + room * (index + 1) / (ends.length + 1)));
  }
}
