// Two moments compared: one is marked, and any other is told apart from it.

// Lists the differences between two values, each with its path; `most` at most.
function differences(before, after, path = "", found = [], most = 500) {
  if (found.length >= most || same(before, after)) return found;
  if (isLeaf(before) || isLeaf(after)) {
    found.push({ op: before === undefined ? "insert" : after === undefined ? "remove" : "set", path, old: brief(before), new: brief(after) });
    return found;
  }
  const then = new Map(entriesOf(before)), now = new Map(entriesOf(after));
  const step = key => !(before.r && after.r) ? `${path}[${key}]` : path ? `${path}.${key}` : key;
  for (const key of new Set([...then.keys(), ...now.keys()])) differences(then.get(key), now.get(key), step(key), found, most);
  return found;
}

Object.assign(DetailPanel.prototype, {
  compare() {
    const { moment, mark } = this;
    if (!moment?.state) return [];
    const button = (text, go) => element("button", { type: "button", onclick: () => { go(); this.redraw(); } }, text);
    const name = each => each.past ? `entry ${each.seq}` : `now (entry ${each.seq})`;
    if (!mark) {
      return [element("p", "empty", "Mark this moment, then choose another one: in the timeline, or with the slider."),
        element("div", "send", button(`Mark ${name(moment)}`, () => { this.mark = moment; }))];
    }
    const tools = element("div", "send", button(`Mark ${name(moment)} instead`, () => { this.mark = moment; }), button("Unmark", () => { this.mark = null; }));
    if (mark.seq === moment.seq) return [tools, element("p", "empty", `${name(mark)} is marked. Choose another moment: in the timeline, or with the slider.`)];
    const [before, after] = mark.seq <= moment.seq ? [mark, moment] : [moment, mark];
    const found = differences(before.state, after.state);
    return [tools, element("h3", "", `From ${name(before)} to ${name(after)}: `, found.length ? plural(found.length, "difference") : "the state is the same"),
      changeList(found), found.length ? element("h3", "", "The state, what differs being marked") : null,
      found.length ? tree(after.state, before.state) : null].filter(Boolean);
  },
});
