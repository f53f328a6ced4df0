// What a transition has changed: each change with its path, what was there and what is there now, as texts.
function changeItem({ op, path, old, new: now, by }) {
  const place = element("span", "path", path || "the state");
  const parts = op === "insert" ? [": inserted ", element("span", "new", now)]
    : op === "remove" ? [": removed ", element("span", "old", old)]
    : [": ", element("span", "old", old), " \u2192 ", element("span", "new", now), by ? `  by ${by}` : null];
  return element("li", "", place, ...parts);
}

function changeList(changes, more = 0) {
  const list = element("ul", "changes", ...changes.map(changeItem));
  if (more) list.append(element("li", "soft", `\u2026 and ${plural(more, "more change")}`));
  return list;
}
