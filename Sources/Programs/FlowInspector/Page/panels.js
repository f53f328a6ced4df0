// The panels beside the timeline, each of which shows one moment.

const panel = (id, title, ...more) => {
  const body = element("div", { class: "body", tabindex: "0", role: "group", "aria-label": title });
  document.getElementById(id).replaceChildren(element("div", "bar", element("h2", { id: `${id}-title` }, title), ...more), body);
  return body;
};

class MachinesPanel {
  constructor(model) {
    const zoom = by => { this.zoom = Math.max(0.4, Math.min(2, by ? this.zoom * by : 1)); this.fit(); };
    this.zoom = 1;
    this.body = panel("machines", "Machines",
      element("button", { type: "button", "aria-label": "Smaller", onclick: () => zoom(1 / 1.2) }, "\u2212"),
      element("button", { type: "button", "aria-label": "Usual size", onclick: () => zoom(0) }, "1:1"),
      element("button", { type: "button", "aria-label": "Larger", onclick: () => zoom(1.2) }, "+"));
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

  // As large as it is drawn, or as the panel is wide, but still to be read; downwards where there is more room for that.
  fit() {
    const room = this.body.clientWidth - 30, height = this.body.clientHeight / Math.min(2, this.parts.length) - 40;
    if (room < 50) return;
    for (const part of this.parts) {
      part.across ??= drawChart(part.machine);
      let chart = part.across;
      const share = each => Math.min(1, room / each.width, height / each.height);
      if (share(chart) < 0.6) {
        part.down ??= drawChart(part.machine, { down: true });
        if (share(part.down) > share(chart)) chart = part.down;
      }
      if (part.chart !== chart) {
        part.chart = chart;
        part.drawing.replaceChildren(chart.svg);
        this.redraw();
      }
      const scale = Math.min(1, Math.max(0.68, room / chart.width)) * this.zoom;
      chart.svg.style.width = `${chart.width * scale}px`;
      chart.svg.style.height = "auto";
    }
  }

  show(lit, step, may) { Object.assign(this, { lit, step, may }); this.redraw(); }

  redraw() {
    this.parts.forEach(({ machine, chart, where, records }, index) => {
      if (!chart) return;
      const now = this.lit?.[index] ?? { on: [] };
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
  constructor() {
    this.which = "change";
    this.buttons = [["change", "Change"], ["state", "State"], ["views", "Views"]].map(([key, title]) => element("button", {
      type: "button", role: "tab", id: `tab-${key}`, "aria-controls": "detail-body", onclick: () => { this.which = key; this.redraw(); },
      onkeydown: event => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (!step) return;
        const next = this.buttons[(this.buttons.indexOf(event.currentTarget) + step + 3) % 3];
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
    fact("action", element("b", row.o, row.a), row.o === "passed" ? ` passed as #${row.r}` : row.o === "image" ? "" : row.o === "dropped" ? " and not kept" : ` was ${row.o === "failed" ? "not done" : "refused"}`);
    if (row.k) fact("who", element("span", `why ${row.o}`, row.k), row.f ? element("span", "soft", `  ${row.f}`) : null);
    if (row.y) fact("why", element("span", `why ${row.o}`, row.y));
    if (row.payload && entriesOf(row.payload).length) fact("payload", element("span", "changes", write(row.payload, 2000)));
    if (row.b) fact("by", row.b);
    if (row.c !== undefined) fact("because of", `#${row.c}`);
    fact("when", `${date(row.w)}, ${span(row.t / 1e6)} after the beginning`);
    const parts = [facts];
    if (row.lost) parts.push(element("p", "empty", row.lost));
    if (row.o === "passed") {
      parts.push(element("h3", "", row.changes.length ? plural(row.changes.length, "change") : "It has changed nothing"),
        changeList(row.changes.map(each => ({ ...each, old: brief(each.old), new: brief(each.new) }))));
      if (row.after) parts.push(element("h3", "", "The state, what has changed being marked"), tree(row.after, row.before));
    } else if (row.after) parts.push(element("h3", "", "The state"), tree(row.after));
    return parts;
  }

  state() {
    return this.moment?.state ? [element("h3", "", this.moment.past ? `The state after entry ${this.moment.seq}` : "The state now"), tree(this.moment.state)] : [];
  }

  views() {
    const views = this.moment?.views;
    if (!views) return [element("p", "empty", "Views are known of the present alone here.")];
    if (!views.length) return [element("p", "empty", "This flow has no view.")];
    const facts = element("dl", "facts");
    for (const { name, value } of views) facts.append(element("dt", "", name), element("dd", "changes", value));
    return [facts];
  }
}

class ComingPanel {
  constructor() { this.body = panel("coming", "To come"); }

  show(moment) {
    const part = (title, items, none) => [element("h3", "", title),
      items.length ? element("ul", "list", ...items) : element("p", "empty", none)];
    if (!moment?.coming) {
      this.body.replaceChildren(element("p", "empty", "What is to come is known of the present alone here."));
      return;
    }
    const now = moment.time;
    const coming = moment.coming.map(item => element("li", "",
      item.due === undefined ? element("span", "soft", item.kind === "queued" ? "next: " : "under way: ")
        : element("span", `due${item.due < now - 1 ? " late" : ""}`, `in ${span(item.due - now)}  `),
      item.what, item.payload ? element("span", "soft", ` ${item.payload}`) : null, item.cause ? element("span", "soft", `  because of #${item.cause}`) : null,
      item.durable ? element("span", "soft", ", durable") : null));
    const held = moment.passages.flatMap(keeper => keeper.held.map(each => element("li", "", element("b", "", keeper.name),
      each.option ? `: ${each.option}` : "", element("span", "soft", `  held by ${each.by} since #${each.since}, for ${span(now - each.time)}`))));
    const scopes = moment.scopes.map(scope => element("li", scope.open ? "" : "soft", element("b", "", scope.name),
      scope.open ? scope.key ? ` open with ${scope.key}` : " open" : "",
      scope.open && moment.since?.[scope.name] !== undefined && scope.parent ? element("span", "soft", `, for ${span(now - moment.since[scope.name])}`) : null,
      scope.open ? null : ` locked: ${scope.wanting ?? scope.name} needs its key`));
    this.body.replaceChildren(
      ...part("Timers, effects, what is queued", coming, "Nothing happens by itself."),
      ...moment.passages.length ? part("Passages", held, "None is held.") : [],
      ...moment.scopes.length > 1 ? part("Scopes", scopes, "") : []);
  }
}
