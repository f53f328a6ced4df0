// The cases of a journal: those first that are stuck, and then all, by id or by the state of a machine.

const ago = seconds => seconds < 2 ? "just now" : `${span(seconds < 120 ? Math.floor(seconds) : seconds)} ago`;

class CasesView {
  constructor(model, open) {
    Object.assign(this, { model, open, host: document.getElementById("cases"), after: [], pace: 2000 });
    this.search = element("input", { type: "search", placeholder: "Search ids", "aria-label": "Search ids", oninput: () => this.load() });
    const places = model.machines.flatMap(machine => machine.states.map(state => `${machine.name}.${state.path}`));
    this.place = element("select", { "aria-label": "Only those in a state", onchange: () => { this.after = []; this.load(); } },
      element("option", { value: "" }, "in any state"), ...places.map(place => element("option", { value: place }, place)));
    this.id = element("input", { placeholder: "id of a new case", "aria-label": "Id of a new case", autocomplete: "off" });
    this.create = element("form", { class: "send", hidden: model.readOnly || undefined, onsubmit: event => { event.preventDefault(); this.begin(); } },
      this.id, element("button", {}, "Begin a case"));
    this.message = element("p", { class: "empty", role: "status" });
    this.rows = element("div", "");
    this.host.replaceChildren(element("div", "inner", element("div", "bar", element("h2", { id: "cases-title" }, "Cases"), this.search, this.place, this.create),
      this.message, this.rows));
  }

  show() { this.isShown = true; this.load(); }
  hide() { this.isShown = false; clearTimeout(this.timer); }

  async begin() {
    try {
      await ask(named("cases", this.id.value), "{}");
      this.open(this.id.value);
    } catch (error) { this.message.textContent = visible(error.message); }
  }

  async load() {
    clearTimeout(this.timer);
    const query = new URLSearchParams({ limit: "100" });
    if (this.search.value) query.set("search", this.search.value);
    else if (this.place.value) query.set("in", this.place.value);
    if (this.after.length) query.set("after", this.after.at(-1));
    const asked = String(query);
    this.asked = asked;
    try {
      const answer = await ask(`cases?${asked}`);
      if (this.asked === asked) this.fill(answer);
    } catch (error) { this.message.textContent = visible(error.message); }
    if (this.isShown) this.timer = setTimeout(() => this.load(), this.pace);
  }

  fill({ stuck, cases, more }) {
    const text = JSON.stringify([stuck.map(each => ({ ...each })), cases, more, Math.floor(Date.now() / 60000)]);
    if (this.text === text) return;
    this.text = text;
    this.message.textContent = cases.length ? "" : this.search.value || this.place.value ? "There is no such case." : "There is no case yet.";
    const parts = [];
    if (stuck.length) parts.push(element("h3", "", `${plural(stuck.length, "case")} stuck`), this.table(stuck, "stuck"));
    if (cases.length) parts.push(element("h3", "", this.place.value ? `In ${this.place.value}` : "All, by id"), this.table(cases, ""));
    const step = (name, go) => element("button", { type: "button", onclick: () => { go(); this.load(); } }, name);
    parts.push(element("div", "send", this.after.length ? step("Back", () => this.after.pop()) : null,
      more && !this.search.value ? step("More", () => this.after.push(cases.at(-1).id)) : null));
    this.rows.replaceChildren(...parts);
  }

  table(cases, name) {
    const now = Date.now() * 1000;
    return element("table", name, element("thead", "", element("tr", "", ...["Case", "State", "Entries", "Last", "Next due"].map((title, index) =>
      element("th", { scope: "col", class: index === 2 || index === 3 ? "wide" : undefined }, title)))),
    element("tbody", "", ...cases.map(each => element("tr", { class: "opens", onclick: () => this.open(each.id) },
      element("td", "", element("a", { href: `#${new URLSearchParams({ token, case: each.id })}`, onclick: event => { event.preventDefault(); event.stopPropagation(); this.open(each.id); } }, each.id),
        each.why ? element("div", "why failed", each.why) : null),
      element("td", "", ...each.machines.map(([machine, state]) => element("span", { class: "chip", title: machine }, state || "\u2013")), each.ended ? element("span", "soft", "ended") : null),
      element("td", "wide", String(each.seq)),
      element("td", "wide", ago((now - each.written) / 1e6)),
      element("td", "", each.due ? each.due < now ? element("span", "why failed", `${span((now - each.due) / 1e6)} late`) : `in ${span(Math.ceil((each.due - now) / 1e6))}` : "")))));
  }
}
