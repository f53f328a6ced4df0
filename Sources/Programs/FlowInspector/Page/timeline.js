// The timeline: a list of which only the lines in sight are there, the newest on top.

class Timeline {
  constructor(host, model, chosen) {
    Object.assign(this, { model, chosen, rows: [], view: [], byRevision: new Map(), selected: null, first: 1, last: 0 });
    this.words = element("input", { type: "search", placeholder: "Filter", "aria-label": "Filter by action", oninput: () => this.refilter() });
    this.machine = element("select", { "aria-label": "Filter by machine", onchange: () => this.refilter() },
      element("option", { value: "" }, "all machines"), ...model.machines.map((each, index) => element("option", { value: String(index) }, each.name)));
    this.outcomes = new Set();
    const toggles = ["passed", "refused", "failed"].map(name => element("button", {
      type: "button", "aria-pressed": "false", onclick: event => {
        if (!this.outcomes.delete(name)) this.outcomes.add(name);
        event.currentTarget.setAttribute("aria-pressed", String(this.outcomes.has(name)));
        this.refilter();
      } }, name));
    this.height = matchMedia("(max-width: 720px)").matches ? 40 : 28;
    this.size = element("div", { role: "presentation" });
    this.list = element("div", { id: "rows", role: "listbox", tabindex: "0", "aria-label": "Actions, the newest first" }, this.size);
    this.list.style.setProperty("--row", `${this.height}px`);
    this.legend = element("div", { class: "legend", role: "status" });
    host.replaceChildren(element("div", "bar", element("h2", { id: "timeline-title" }, "Timeline")),
      element("div", "filters", this.words, model.machines.length ? this.machine : null, ...toggles), this.list, this.legend);
    this.shown = new Map();
    this.list.onscroll = () => this.draw();
    this.list.onkeydown = event => this.key(event);
    this.list.onclick = event => {
      const line = event.target.closest("[data-at]");
      if (line) this.choose(this.view[Number(line.dataset.at)]);
    };
    new ResizeObserver(() => this.draw()).observe(this.list);
  }

  // Lines that came before all that are there.
  prepend(rows) {
    for (const row of rows) this.know(row, false);
    this.rows = rows.concat(this.rows);
    for (const row of this.rows) row.root = undefined;
    this.refilter(true);
  }

  // Lines that have just come.
  append(rows) {
    const before = this.view.length;
    for (const row of rows) {
      this.know(row, true);
      this.rows.push(row);
      if (this.fits(row)) this.view.push(row);
    }
    const more = this.view.length - before;
    // Who looks further down goes on seeing the same.
    if (this.list.scrollTop > 4) this.list.scrollTop += more * this.height;
    this.shift();
    this.draw();
  }

  know(row, isNewer) {
    row.n ??= 0;
    if (row.o === "passed" && (isNewer || !this.byRevision.has(row.r))) this.byRevision.set(row.r, row);
  }

  // The revision with which a thread of causes began.
  root(row) {
    if (row.root !== undefined) return row.root;
    const chain = [];
    let at = row;
    while (at && at.root === undefined && at.c !== undefined && chain.length < 10000) {
      chain.push(at);
      const next = this.byRevision.get(at.c);
      if (!next || next === at) break;
      at = next;
    }
    const root = at.root ?? at.c ?? at.r;
    for (const each of chain) each.root = root;
    if (row.o === "passed" && row.c === undefined) row.root = row.r;
    return row.c === undefined ? row.o === "passed" ? row.r : null : root;
  }

  fits(row) {
    if (this.outcomes.size && !this.outcomes.has(row.o)) return false;
    if (this.machine.value !== "" && !row.m?.includes(Number(this.machine.value))) return false;
    const words = this.words.value.trim().toLowerCase();
    return !words || row.a.toLowerCase().includes(words) || row.k?.toLowerCase().includes(words) || row.b?.toLowerCase().includes(words);
  }

  refilter(isQuiet = false) {
    const isAll = !this.outcomes.size && this.machine.value === "" && !this.words.value.trim();
    this.view = isAll ? this.rows.slice() : this.rows.filter(row => this.fits(row));
    if (!isQuiet) this.list.scrollTop = 0;
    this.shift();
    this.draw();
  }

  shift() {
    for (const line of this.shown.values()) line.remove();
    this.shown.clear();
    this.size.style.height = `${this.view.length * this.height}px`;
    const part = this.view.length === this.rows.length ? plural(this.rows.length, "action") : `${this.view.length} of ${plural(this.rows.length, "action")}`;
    this.legend.textContent = this.loading ? `${part}; ${this.loading}` : part;
  }

  draw() {
    const top = this.list.scrollTop, count = this.view.length;
    const from = Math.max(0, Math.floor(top / this.height) - 8);
    const to = Math.min(count, Math.ceil((top + this.list.clientHeight) / this.height) + 8);
    for (const [at, line] of this.shown) if (at < from || at >= to) { line.remove(); this.shown.delete(at); }
    const root = this.selected ? this.root(this.selected) : null;
    for (let at = from; at < to; at += 1) {
      const row = this.view[count - 1 - at];
      let line = this.shown.get(at);
      if (!line) {
        line = this.line(row, count - 1 - at, at, count);
        this.shown.set(at, line);
        this.list.append(line);
      }
      const isSelected = row === this.selected;
      line.setAttribute("aria-selected", String(isSelected));
      if (isSelected) this.list.setAttribute("aria-activedescendant", line.id);
      line.classList.toggle("in-thread", root !== null && this.root(row) === root);
    }
  }

  line(row, index, at, count) {
    const end = row.o === "passed" ? `#${row.r}` : row.o === "snapshot" ? "" : row.k ?? row.o;
    const cause = row.c === undefined ? "" : "\u21b1";
    const line = element("div", {
      class: `row ${row.o}`, role: "option", id: `row-${row.s}-${row.n}`, "data-at": index, "aria-setsize": count, "aria-posinset": at + 1,
      title: row.o === "refused" || row.o === "failed" ? `${row.k ?? ""}: ${row.y ?? ""}` : undefined,
    },
      element("span", { class: "thread", title: row.c === undefined ? undefined : `because of #${row.c}` }, cause),
      element("span", "when", clock(row.w)),
      element("span", "what", element("b", "", row.a), " ", row.p ? element("span", "payload", row.p) : null, row.b ? element("span", "payload", `by ${row.b}`) : null),
      element("span", "end", end));
    line.style.transform = `translateY(${at * this.height}px)`;
    return line;
  }

  choose(row, isQuiet = false) {
    this.selected = row;
    this.draw();
    if (!isQuiet) this.chosen(row);
  }

  // The last line of an entry.
  at(seq) {
    let low = 0, high = this.rows.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.rows[middle].s <= seq) low = middle + 1; else high = middle;
    }
    while (low > 0 && this.rows[low - 1].pending) low -= 1;
    return this.rows[low - 1];
  }

  reveal(row) {
    const index = this.view.indexOf(row);
    if (index < 0) return;
    const top = (this.view.length - 1 - index) * this.height;
    if (top < this.list.scrollTop) this.list.scrollTop = top;
    else if (top + this.height > this.list.scrollTop + this.list.clientHeight) this.list.scrollTop = top + this.height - this.list.clientHeight;
    this.draw();
  }

  key(event) {
    const count = this.view.length;
    const index = this.selected ? this.view.indexOf(this.selected) : count;
    const page = Math.max(1, Math.floor(this.list.clientHeight / this.height) - 1);
    const steps = { ArrowDown: -1, ArrowUp: 1, PageDown: -page, PageUp: page, Home: count, End: -count };
    if (!(event.key in steps) || !count || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    this.choose(this.view[Math.max(0, Math.min(count - 1, index + steps[event.key]))]);
    this.reveal(this.selected);
  }
}

const clocks = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
const dates = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium", hourCycle: "h23" });
const clock = microseconds => clocks.format(microseconds / 1000);
const date = microseconds => dates.format(microseconds / 1000);
