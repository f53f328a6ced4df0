// A value as a tree. Values come as `i7`, `n0.5`, `btrue`, `stext`, `z`, `{l: [...]}`, `{r: [[name, value], ...]}` and
// `{m: [[key, value], ...]}`, since JavaScript knows no 64-bit integers.

const kinds = { i: "integer", n: "number", b: "boolean", s: "string", z: "nothing" };

// The value on one line, cut short.
function brief(value, limit = 80) {
  const text = write(value, limit);
  return text.length > limit ? `${text.slice(0, limit - 1)}\u2026` : text;
}

function write(value, room) {
  if (value === undefined) return "nothing";
  if (isLeaf(value)) return leafText(value);
  const entries = entriesOf(value);
  const parts = [];
  let used = 4;
  for (const [key, each] of entries) {
    if (used > room) { parts.push("\u2026"); break; }
    const part = value.l ? write(each, room - used) : `${key} = ${write(each, room - used)}`;
    used += part.length + 2;
    parts.push(part);
  }
  return `{ ${parts.join(", ")} }`;
}

function leafText(value) {
  if (typeof value !== "string") return "{}";
  const rest = value.slice(1);
  if (value[0] === "s") return rest === "\u2022\u2022\u2022" ? rest : JSON.stringify(rest);
  return value[0] === "z" ? "nothing" : rest;
}

function entriesOf(value) {
  if (!value || typeof value === "string") return [];
  return value.r ?? value.m ?? value.l.map((each, index) => [String(index + 1), each]);
}

const isLeaf = value => value === undefined || typeof value === "string" || !entriesOf(value).length;

function same(one, other) {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

// A tree of what is there; where it is given what was there before, what has changed is marked.
function tree(now, before) {
  const marks = before !== undefined;
  const list = element("ul", "tree");
  fill(list, now, marks ? before : now, marks, 0);
  if (!list.childElementCount) list.append(element("li", "leaf soft", "nothing"));
  return list;
}

const chunk = 200;

function fill(list, now, before, marks, depth) {
  const pairs = [];
  const then = new Map(marks && !same(now, before) ? entriesOf(before) : []);
  for (const [key, value] of entriesOf(now)) {
    pairs.push([key, value, marks && then.size ? then.get(key) : value]);
    then.delete(key);
  }
  if (marks && !same(now, before)) for (const [key, value] of then) pairs.push([key, undefined, value]);
  const isNew = marks && !same(now, before) && isLeaf(before);
  const add = from => {
    for (const [key, value, old] of pairs.slice(from, from + chunk))
      list.append(node(key, value, isNew ? undefined : old, marks, depth));
    if (pairs.length > from + chunk) {
      const more = element("li", "", element("button", { type: "button", onclick: () => { more.remove(); add(from + chunk); } },
        `${pairs.length - from - chunk} more`));
      list.append(more);
    }
  };
  add(0);
}

function node(key, now, before, marks, depth) {
  const changed = marks && !same(now, before);
  const name = element("span", "key", key);
  if (isLeaf(now) && isLeaf(before)) {
    const line = element("li", `leaf${changed ? " changed" : ""}`, name, " = ");
    if (changed && before !== undefined) line.append(element("span", "old", leafText(before)), " \u2192 ");
    line.append(now === undefined ? element("span", "soft", "removed")
      : element("span", changed ? "new" : typeof now === "string" ? kinds[now[0]] : "soft", leafText(now)));
    return line;
  }
  const shown = isLeaf(now) ? before : now;
  const count = entriesOf(shown).length;
  const hint = element("span", "soft", count ? ` ${shown.l ? plural(count, "element") : plural(count, "field")}` : " {}");
  const summary = element("summary", changed ? "changed" : "", name, hint);
  if (isLeaf(now)) summary.append(" ", element("span", "old", now === undefined ? "removed" : leafText(now)));
  const inner = element("ul", "");
  const details = element("details", "", summary, inner);
  let isFilled = false;
  const open = () => {
    if (isFilled || !details.open) return;
    isFilled = true;
    fill(inner, shown, isLeaf(now) || isLeaf(before) ? (marks ? undefined : shown) : before, marks, depth + 1);
  };
  details.ontoggle = open;
  details.open = changed || depth < 1 && count <= 30;
  open();
  return element("li", "", details);
}
