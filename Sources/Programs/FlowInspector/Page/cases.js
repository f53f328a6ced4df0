// The cases of a journal: those first that are stuck, then those that fit the filters, by id; and how many are in each state.

const ago = seconds => seconds < 2 ? "just now" : `${span(seconds < 120 ? Math.floor(seconds) : seconds)} ago`;

class CasesView {
  constructor(model, open) {
    Object.assign(this, { model, open, host: document.getElementById("cases"), after: [], pace: 2000, chosen: new Set() });
    const changed = () => { this.after = []; this.chosen.clear(); this.load(); };
    const select = (label, ...options) => element("select", { "aria-label": label, onchange: changed }, ...options.map(([value, text]) => element("option", { value }, text)));
    const field = (type, label, more) => element("input", { type, "aria-label": label, oninput: changed, ...more });
    this.search = field("search", "Search ids", { placeholder: "Search ids" });
    const places = model.machines.flatMap(machine => machine.states.map(state => `${machine.name}.${state.path}`));
    this.place = select("Only those in a state", ["", "in any state"], ...places.map(place => [place, place]));
    this.outcome = select("Only those that are", ["", "running or ended"], ["running", "running"], ["ended", "ended"], ["overdue", "overdue"]);
    this.state = field("search", "Only those whose state has", { placeholder: "state: cents >= 100", spellcheck: "false" });
    this.which = select("Which time", ["written", "last written"], ["born", "created"]);
    this.since = field("datetime-local", "from");
    this.until = field("datetime-local", "until");
    this.id = element("input", { placeholder: "id of a new case", "aria-label": "Id of a new case", autocomplete: "off" });
    this.create = element("form", { class: "send", hidden: model.readOnly || undefined, onsubmit: event => { event.preventDefault(); this.begin(); } },
      this.id, element("button", {}, "Begin a case"));
    this.message = element("p", { class: "empty", role: "status" });
    this.counts = element("div", { class: "counts", role: "group", "aria-label": "Cases by state" });
    this.many = element("div", { class: "send many", hidden: true });
    this.rows = element("div", "");
    this.host.replaceChildren(element("div", "inner",
      element("div", "bar", element("h2", { id: "cases-title" }, "Cases"), this.search, this.place, this.outcome, this.create),
      element("div", "bar second", this.state, this.which, element("label", "", "from ", this.since), element("label", "", "until ", this.until)),
      this.counts, this.message, this.many, this.rows));
  }

  show() { this.isShown = true; this.load(); this.count(); }
  hide() { this.isShown = false; clearTimeout(this.timer); clearTimeout(this.counter); }

  async begin() {
    try {
      await ask(named("cases", this.id.value), "{}");
      this.open(this.id.value);
    } catch (error) { this.message.textContent = visible(error.message); }
  }

  // The filters as a query to the server.
  query() {
    const query = new URLSearchParams({ limit: "100" });
    const set = (name, value) => { if (value) query.set(name, value); };
    const time = input => input.value ? String(new Date(input.value).getTime() * 1000) : "";
    set("search", this.search.value.trim());
    set("in", this.place.value);
    set("outcome", this.outcome.value);
    // Half a condition is none yet.
    if (/[=<>~]\s*\S/.test(this.state.value)) set("state", this.state.value.trim());
    set("since", time(this.since));
    set("until", time(this.until));
    if (query.has("since") || query.has("until")) set("time", this.which.value);
    set("after", this.after.at(-1));
    return query;
  }

  async load() {
    clearTimeout(this.timer);
    const asked = String(this.query());
    this.asked = asked;
    try {
      const answer = await ask(`cases?${asked}`);
      if (this.asked === asked) this.fill(answer);
    } catch (error) { if (this.asked === asked) this.message.textContent = visible(error.message); }
    clearTimeout(this.timer);
    if (this.isShown) this.timer = setTimeout(() => this.load(), this.pace);
  }

  // Counts the cases; a click on a count lists those alone.
  async count() {
    clearTimeout(this.counter);
    try {
      const { total, running, ended, overdue, more, machines, dead } = await ask("counts");
      const only = (input, value) => () => { input.value = input.value === value ? "" : value; input.onchange(); };
      const chip = (input, value, text, count) => element("button", { type: "button", class: "chip", "aria-pressed": String(input.value === value), onclick: only(input, value) }, `${text} `, element("b", "", String(count)));
      const chips = [element("span", "chip", "all ", element("b", "", more ? `${total}+` : String(total))), chip(this.outcome, "running", "running", running),
        chip(this.outcome, "ended", "ended", ended), overdue ? chip(this.outcome, "overdue", "overdue", overdue) : null,
        ...machines.flatMap(({ name, states }) => states.map(([state, count]) => {
          const place = `${name}.${state}`;
          const isOne = [...this.place.options].some(each => each.value === place);
          return isOne ? chip(this.place, place, machines.length > 1 ? place : state, count)
            : element("span", "chip", `${machines.length > 1 ? `${name}: ` : ""}${state || "\u2013"} `, element("b", "", String(count)));
        })),
        dead === undefined ? null : element("a", { class: `chip${dead ? " dead" : ""}`, href: tasksAddress() }, "dead tasks ", element("b", "", String(dead)))];
      const text = JSON.stringify([total, running, ended, overdue, machines, dead, this.outcome.value, this.place.value]);
      if (this.counted !== text) this.counts.replaceChildren(...chips.filter(Boolean));
      this.counted = text;
    } catch { /* it is tried again */ }
    clearTimeout(this.counter);
    if (this.isShown) this.counter = setTimeout(() => this.count(), 3 * this.pace);
  }

  get isFiltered() { return ["search", "place", "outcome", "state", "since", "until"].some(name => this[name].value); }

  fill({ stuck, cases, more, after, looked }) {
    if (this.outcome.value + this.place.value !== this.clicked) { this.clicked = this.outcome.value + this.place.value; this.counted = ""; this.count(); }
    const text = JSON.stringify([stuck, cases, more, after, Math.floor(Date.now() / 60000)]);
    if (this.text === text) return;
    this.text = text;
    this.message.textContent = cases.length ? "" : more ? `None of ${plural(looked, "case")} that were looked at; go on with More.`
      : this.isFiltered ? "There is no such case." : "There is no case yet.";
    const parts = [];
    if (stuck.length) parts.push(element("h3", "", `${plural(stuck.length, "case")} stuck`), this.table(stuck, "stuck"));
    if (cases.length) parts.push(element("h3", "", this.isFiltered ? "Those that fit, by id" : "All, by id"), this.table(cases, ""));
    const step = (name, go) => element("button", { type: "button", onclick: () => { go(); this.load(); } }, name);
    parts.push(element("div", "send", this.after.length ? step("Back", () => this.after.pop()) : null, more && after ? step("More", () => this.after.push(after)) : null));
    this.rows.replaceChildren(...parts);
    this.shown = [...new Set([...stuck, ...cases].map(each => each.id))];
    for (const id of this.chosen) if (!this.shown.includes(id)) this.chosen.delete(id);
    this.choosing();
  }

  // Offers the operations on the chosen cases.
  choosing() {
    const ids = [...this.chosen];
    this.many.hidden = !ids.length;
    if (!ids.length) return;
    const act = (title, warning, button, path) => () => manyDialog({
      title: `${title} ${plural(ids.length, "case")}?`, warning, button: `${button} ${plural(ids.length, "case")}`, cases: ids,
      act: id => ask(`${named("cases", id)}/${path}`, "{}"), done: () => { this.chosen.clear(); this.text = ""; this.load(); this.count(); },
    });
    this.many.replaceChildren(element("b", "", `${ids.length} chosen`),
      element("button", { type: "button", onclick: act("Retry", "Each case is activated again, and its due work is done.", "Retry", "retry") }, "Retry\u2026"),
      element("button", { type: "button", onclick: act("End", "Nothing more happens in them, and no other case gets their ids. This cannot be undone.", "End", "end") }, "End\u2026"),
      element("button", { type: "button", onclick: () => { this.chosen.clear(); this.text = ""; this.load(); } }, "Choose none"));
  }

  table(cases, name) {
    const now = Date.now() * 1000;
    const boxes = [];
    const choose = (id, isIt) => { if (isIt) this.chosen.add(id); else this.chosen.delete(id); this.choosing(); };
    const box = (label, isOn, go) => {
      const made = element("input", { type: "checkbox", "aria-label": label, onclick: event => event.stopPropagation(), onchange: event => go(event.currentTarget.checked) });
      made.checked = isOn;
      return made;
    };
    const all = box("All of these", false, isIt => { for (const [id, each] of boxes) { each.checked = isIt; choose(id, isIt); } });
    const titles = ["Case", "State", "Entries", "Last", "Next due"].map((title, index) =>
      element("th", { scope: "col", class: index === 2 || index === 3 ? "wide" : undefined }, title));
    const pick = each => {
      const made = box(`Choose ${each.id}`, this.chosen.has(each.id), isIt => choose(each.id, isIt));
      boxes.push([each.id, made]);
      return element("td", { class: "pick", onclick: event => event.stopPropagation() }, made);
    };
    return element("table", name, element("thead", "", element("tr", "", this.model.readOnly ? null : element("th", { class: "pick", scope: "col" }, all), ...titles)),
      element("tbody", "", ...cases.map(each => element("tr", { class: "opens", onclick: () => this.open(each.id) },
        this.model.readOnly ? null : pick(each),
        element("td", "", element("a", { href: `#${new URLSearchParams({ token, case: each.id })}`, onclick: event => { event.preventDefault(); event.stopPropagation(); this.open(each.id); } }, each.id),
          each.why ? element("div", "why failed", each.why) : null),
        element("td", "", ...each.machines.map(([machine, state]) => element("span", { class: "chip", title: machine }, state || "\u2013")), each.ended ? element("span", "soft", "ended") : null),
        element("td", "wide", String(each.seq)),
        element("td", "wide", ago((now - each.written) / 1e6)),
        element("td", "", each.due ? each.due < now ? element("span", "why failed", `${span((now - each.due) / 1e6)} late`) : `in ${span(Math.ceil((each.due - now) / 1e6))}` : "")))));
  }
}
