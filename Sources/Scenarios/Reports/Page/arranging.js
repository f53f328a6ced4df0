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

// Spreads the ends of edges along the sides of what they lead to, in the order of their other ends.
function ports(chains) {
  const sides = new Map();
  const note = (node, side, chain, other, set) => {
    const key = `${node.key} ${side}`;
    if (!sides.has(key)) sides.set(key, { node, ends: [] });
    sides.get(key).ends.push({ y: other.y, set });
  };
  for (const chain of chains) {
    note(chain.left, "right", chain, chain.items[1], y => { chain.from = y; });
    note(chain.right, "left", chain, chain.items.at(-2), y => { chain.to = y; });
  }
  for (const { node, ends } of sides.values()) {
    ends.sort((a, b) => a.y - b.y);
    ends.forEach((end, index) => end.set(node.y + node.h * (index + 1) / (ends.length + 1)));
  }
}
