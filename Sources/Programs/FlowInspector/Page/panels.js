// The panels beside the timeline, each of which shows one moment.

const panel = (id, title, ...more) => {
  const body = element("div", { class: "body", tabindex: "0", role: "group", "aria-label": title });
  document.getElementById(id).replaceChildren(element("div", "bar", element("h2", { id: `${id}-title` }, title), ...more), body);
  return body;
};

class MachinesPanel {
  constructor(model) {
    const button = (name, text, go) => element("button", { type: "button", "aria-label": name, onclick: go }, text);
    const zoom = by => { this.zoom = by ? (this.zoom ?? this.scale ?? 1) * by : 1; this.fit(); };
    // Without a zoom a chart is as large as the panel lets it, but still to be read; to fit is to be seen whole.
    this.isWhole = false;
    this.whole = element("button", { type: "button", "aria-pressed": "false", title: "See the whole chart", onclick: () => {
      this.isWhole = this.zoom !== undefined || !this.isWhole;
      this.zoom = undefined;
      this.fit();
    } }, "Fit");
    this.body = panel("machines", "Machines", this.whole, button("Smaller", "\u2212", () => zoom(1 / 1.2)),
      button("Usual size", "1:1", () => zoom(0)), button("Larger", "+", () => zoom(1.2)));
    this.parts = model.machines.map(machine => {
      const where = element("span", "where");
      const records = element("select", { "aria-label": `Record of ${machine.name}`, hidden: true, onchange: () => this.redraw() });
      const drawing = element("div", { class: "drawing", tabindex: "0", role: "group", "aria-label": `Drawing of ${machine.name}` });
      const notes = machine.notes.length > 2
        ? [element("details", "hint", element("summary", "", machine.notes[0]), ...machine.notes.slice(1).map(note => element("div", "", note)))]
        : machine.notes.map(note => element("div", "hint", note));
      this.body.append(element("div", "machine", element("h3", "", machine.name, where, records), ...notes, drawing));
      return { machine, where, records, drawing };
    });
    if (!this.parts.length) this.body.append(element("p", "empty", "This flow has no machine."));
    new ResizeObserver(() => this.fit()).observe(this.body);
  }

  // As large as the panel is wide and high; downwards where there is more room for that.
  fit() {
    const room = this.body.clientWidth - 30, count = Math.max(1, this.parts.length);
    const height = (this.body.clientHeight - 20) / (this.isWhole ? count : Math.min(2, count)) - 44;
    if (room < 50) return;
    this.whole.setAttribute("aria-pressed", String(this.isWhole && this.zoom === undefined));
    for (const part of this.parts) {
      part.across ??= drawChart(part.machine);
      let chart = part.across;
      const share = each => Math.min(room / each.width, height / each.height);
      if (share(chart) < 1) {
        part.down ??= drawChart(part.machine, { down: true });
        if (share(part.down) > share(chart)) chart = part.down;
      }
      if (part.chart !== chart) {
        part.chart = chart;
        part.drawing.replaceChildren(chart.svg);
        this.redraw();
      }
      const least = this.isWhole ? 0.15 : 0.68;
      const scale = this.zoom === undefined ? Math.min(1.6, Math.max(least, share(chart))) : Math.max(0.15, Math.min(3, this.zoom));
      this.scale = scale;
      chart.svg.style.width = `${chart.width * scale}px`;
      chart.svg.style.height = "auto";
    }
  }

  show(active, step, may) { Object.assign(this, { active, step, may }); this.redraw(); }

  redraw() {
    this.parts.forEach(({ machine, chart, where, records }, index) => {
      if (!chart) return;
      const now = this.active?.[index] ?? { on: [] };
      const last = this.step && !now.records && {
        action: this.step.action, before: this.step.before[index].on, after: this.step.after[index].on,
      };
      if (!now.records) {
        where.textContent = innermost(now.on).join(", ");
        chart.show({ on: now.on, last, may: this.may });
        return;
      }
      const chosen = records.value;
      records.hidden = now.records.length === 0;
      records.replaceChildren(element("option", { value: "" }, `all ${now.count}`), ...now.records.map(each => element("option", { value: each.keys }, each.keys)));
      records.value = now.records.some(each => each.keys === chosen) ? chosen : "";
      const one = now.records.find(each => each.keys === records.value && records.value !== "");
      where.textContent = one ? innermost(one.on).join(", ") : plural(now.count, "record");
      if (one) {
        const then = part => part[index].records.find(each => each.keys === one.keys)?.on ?? [];
        chart.show({ on: one.on, last: this.step && { action: this.step.action, before: then(this.step.before), after: then(this.step.after) }, may: this.may });
        return;
      }
      const counts = {};
      for (const each of now.records) for (const path of each.on) counts[path] = (counts[path] ?? 0) + 1;
      chart.show({ counts, may: this.may });
    });
  }
}

const innermost = paths => paths.filter(path => !paths.some(other => other.startsWith(`${path}.`)));

class DetailPanel {
  constructor(look) {
    this.look = look;
    this.which = "change";
    this.buttons = [["change", "Change"], ["state", "State"], ["views", "Views"], ["compare", "Compare"]].map(([key, title]) => element("button", {
      type: "button", role: "tab", id: `tab-${key}`, "aria-controls": "detail-body", onclick: () => { this.which = key; this.redraw(); },
      onkeydown: event => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (!step) return;
        const next = this.buttons[(this.buttons.indexOf(event.currentTarget) + step + this.buttons.length) % this.buttons.length];
        next.focus();
        next.click();
      },
    }, title));
    const body = panel("detail", "What happened", element("div", { role: "tablist", "aria-label": "Show" }, ...this.buttons));
    Object.assign(body, { id: "detail-body" });
    body.setAttribute("role", "tabpanel");
    body.removeAttribute("aria-label");
    this.body = body;
  }

  show(row, moment) { Object.assign(this, { row, moment }); this.redraw(); }

  redraw() {
    this.buttons.forEach(button => {
      const isIt = button.id === `tab-${this.which}`;
      button.setAttribute("aria-selected", String(isIt));
      button.tabIndex = isIt ? 0 : -1;
      if (isIt) this.body.setAttribute("aria-labelledby", button.id);
    });
    this.body.replaceChildren(...this[this.which]());
  }

  change() {
    const { row } = this;
    if (!row) return [element("p", "empty", "Nothing has happened yet.")];
    const facts = element("dl", "facts");
    const fact = (name, ...value) => facts.append(element("dt", "", name), element("dd", "", ...value));
    fact("action", element("b", row.o, row.a), row.o === "passed" ? ` passed as #${row.r}` : row.o === "snapshot" ? "" : row.o === "dropped" ? ", not stored" : ` was ${row.o === "failed" ? "not done" : "refused"}`);
    if (row.k) fact("who", element("span", `why ${row.o}`, row.k), row.f ? element("span", "soft", `  ${row.f}`) : null);
    if (row.y) fact("why", element("span", `why ${row.o}`, row.y));
    if (row.payload && entriesOf(row.payload).length) fact("payload", element("span", "changes", write(row.payload, 2000)));
    if (row.b) fact("by", row.b);
    if (row.c !== undefined) fact("because of", `#${row.c}`);
    fact("when", `${date(row.w)}, ${span(row.t / 1e6)} after the beginning`);
    const parts = [facts];
    if (row.lost) parts.push(element("p", "empty", row.lost));
    if (row.o === "passed") {
      const list = changes => changeList(changes.map(each => ({ ...each, old: brief(each.old), new: brief(each.new) })));
      parts.push(element("h3", "", row.changes.length ? plural(row.changes.length, "change") : "It has changed nothing"), list(row.changes));
      if (row.writes) parts.push(element("details", "", element("summary", "soft", plural(row.writes.length, "write")), list(row.writes)));
      if (row.after) parts.push(element("h3", "", "The state, what has changed being marked"), tree(row.after, row.before));
    } else if (row.after) parts.push(element("h3", "", "The state"), tree(row.after));
    return parts;
  }

  state() {
    return this.moment?.state ? [element("h3", "", this.moment.past ? `The state after entry ${this.moment.seq}` : "The state now"), tree(this.moment.state)] : [];
  }

  views() {
    const views = this.moment?.views;
    if (!views) return [element("p", "empty", "Views can only be shown for the present here.")];
    if (!views.length) return [element("p", "empty", "This flow has no view.")];
    const facts = element("dl", "facts");
    for (const { name, value } of views) facts.append(element("dt", "", name), element("dd", "changes", value));
    return [facts];
  }
}
