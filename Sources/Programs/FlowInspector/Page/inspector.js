// The page: one case, looked at now or at an entry of the past.

class Inspector {
  constructor(model) {
    this.model = model;
    this.machines = new MachinesPanel(model);
    this.detail = new DetailPanel(this);
    this.actions = new ActionsPanel(model, this);
    this.pending = new PendingPanel(this);
    this.timeline = new Timeline(document.getElementById("timeline"), model, row => this.go(row));
    this.travel = new Travel(this);
    this.live = document.getElementById("live");
    document.addEventListener("keydown", event => { if (event.key === "Escape" && this.row && !document.querySelector("dialog[open]")) this.go(null); });
  }

  // Opens a case: what is newest first, what is older behind it, and then what comes; at a line of it, if one is named.
  async open(id, at) {
    this.close();
    const stop = new AbortController();
    Object.assign(this, { id, stop, row: null, looked: null });
    this.detail.mark = null;
    const { first, last } = await ask(`${named("cases", id)}`);
    const timeline = this.timeline;
    Object.assign(timeline, { rows: [], view: [], byRevision: new Map(), selected: null, first, last });
    const from = Math.max(first, last - 199);
    const newest = last < first ? { rows: [] } : await ask(`${named("cases", id)}/rows?from=${from}&limit=200`);
    if (stop.signal.aborted) return;
    timeline.append(newest.rows);
    timeline.list.scrollTop = 0;
    this.travel.reach(first, last);
    this.go(at ? timeline.rows.find(each => each.s === at.s && each.n === at.n) ?? await this.line(at) : null);
    // Once the lines are on the screen, for whoever measures.
    requestAnimationFrame(() => setTimeout(() => performance.mark("painted")));
    listen(`${named("cases", id)}/events`, last, {
      signal: stop.signal, isLive: isOn => this.tellLive(isOn),
      told: ({ rows, refused }, seq) => refused ? this.refused(refused) : this.hear(rows, seq),
    });
    this.loadOlder(id, from - 1, stop.signal);
  }

  // A line that has not come yet.
  async line({ s, n }) {
    if (!(s >= this.timeline.first && s <= this.timeline.last)) return null;
    const { rows } = await ask(`${named("cases", this.id)}/rows?from=${s}&limit=1`);
    return rows.map(each => ({ n: 0, ...each })).find(each => each.s === s && each.n === n) ?? null;
  }

  // A line that was chosen before it had come is one of the list by now.
  adopt() {
    const { row, timeline } = this;
    if (!row || row.pending || timeline.rows.includes(row)) return;
    const same = timeline.at(row.s);
    const found = timeline.rows.find(each => each.s === row.s && each.n === row.n) ?? same;
    if (!found) return;
    this.row = found;
    timeline.choose(found, true);
    timeline.reveal(found);
  }

  // Looks at an entry by its number.
  async goTo(seq) {
    const row = this.timeline.at(seq);
    this.go(row?.s === seq ? row : await this.line({ s: seq, n: 0 }));
    if (this.row) this.timeline.reveal(this.row);
  }

  close() { this.stop?.abort(); clearTimeout(this.tasksTimer); }

  async loadOlder(id, to, signal) {
    const size = 4000;
    let parts = [];
    while (to >= this.timeline.first && !signal.aborted) {
      const from = Math.max(this.timeline.first, to - size + 1);
      let answer;
      try { answer = await ask(`${named("cases", id)}/rows?from=${from}&limit=${to - from + 1}`); } catch { break; }
      if (signal.aborted) return;
      parts.push(answer.rows);
      to = from - 1;
      // Few large steps: each goes through all lines.
      if (parts.length === 8 || to < this.timeline.first) {
        this.timeline.loading = to >= this.timeline.first ? "older ones are on their way" : "";
        this.timeline.prepend(parts.reverse().flat());
        this.adopt();
        parts = [];
      }
      await new Promise(go => setTimeout(go));
    }
    this.timeline.loading = "";
    this.timeline.shift();
    this.timeline.draw();
    performance.mark("complete");
  }

  hear(rows, seq) {
    this.timeline.last = Math.max(this.timeline.last, seq);
    // A refusal that was shown before it stood in an entry may do so now.
    const stored = new Set(rows.filter(row => row.o !== "passed").map(row => row.a));
    if (this.timeline.rows.some(row => row.pending && stored.has(row.a))) {
      this.timeline.rows = this.timeline.rows.filter(row => !(row.pending && stored.has(row.a)));
      this.timeline.refilter(true);
    }
    this.timeline.append(rows.filter(row => !(this.timeline.rows.at(-1)?.s > row.s)));
    this.travel.reach(this.timeline.first, this.timeline.last);
    if (!this.row) this.refresh();
  }

  // A case's journal tells of a refusal with the next entry, if at all: until then it stands behind the last one,
  // whoever was refused.
  refused(row) {
    this.refusals = (this.refusals ?? 0) + 1;
    this.timeline.append([{ ...row, s: this.timeline.last, n: 1e6 + this.refusals, pending: true }]);
  }

  tellLive(isOn) {
    this.live.className = isOn ? "on" : "off";
    this.live.textContent = isOn ? "live" : "looking for the server";
  }

  // Looks at a line of the past; at none, at now.
  go(row) {
    this.row = row;
    this.timeline.choose(row, true);
    this.travel.show(row);
    this.remember(row);
    this.refresh();
  }

  // The address leads to what is looked at.
  remember(row) {
    const fragment = new URLSearchParams(location.hash.slice(1));
    fragment.delete("at");
    if (row && !row.pending) fragment.set("at", `${row.s}.${row.n}`);
    const address = `#${fragment}`;
    if (location.hash !== address) history.replaceState(null, "", address);
  }

  // What is shown is asked for again; of several changes in a row the last one.
  refresh() {
    if (this.isAsking) { this.isStale = true; return; }
    this.isAsking = true;
    this.reload().catch(error => { this.live.textContent = visible(error.message); }).finally(() => {
      this.isAsking = false;
      if (this.isStale) { this.isStale = false; this.refresh(); }
    });
  }

  async reload() {
    const { id, row } = this;
    const at = row && !row.pending ? row : null;
    const last = at ?? this.timeline.rows.findLast(each => !each.pending);
    const question = at && at.s !== this.timeline.last ? `?seq=${at.s}` : "";
    const [moment, detail] = await Promise.all([
      ask(`${named("cases", id)}/moment${question}`).catch(error => ({ lost: error.message })),
      last ? ask(`${named("cases", id)}/rows/${last.s}/${last.n}`) : null,
    ]);
    if (this.id !== id || this.row !== row) return;
    this.moment = moment;
    const step = detail?.o === "passed" && detail.activeBefore && { action: detail.a, before: detail.activeBefore, after: detail.activeAfter };
    this.machines.show(at && detail?.activeAfter ? detail.activeAfter : moment.active, step, moment.may);
    this.detail.show(row?.pending ? row : detail, moment);
    this.actions.show(moment.may, Boolean(at));
    this.pending.show(moment);
    this.watchTasks();
  }

  // Claims and leases are no entries of the case: while an effect waits for a task, it is asked for again.
  watchTasks() {
    clearTimeout(this.tasksTimer);
    const { id, moment } = this;
    if (this.row || !moment.pending?.some(each => each.waits_for?.some(wait => wait.task))) return;
    this.tasksTimer = setTimeout(async () => {
      let now = moment;
      try { if (!document.hidden) now = await ask(`${named("cases", id)}/moment`); } catch { /* it is tried again */ }
      if (this.id !== id || this.moment !== moment || this.stop.signal.aborted) return;
      if (!same(now.pending, moment.pending)) {
        this.moment = now;
        this.pending.show(now);
      }
      this.watchTasks();
    }, 2000);
  }
}

// The slider, with what can be done at a moment.
class Travel {
  constructor(look) {
    this.look = look;
    this.slider = element("input", { type: "range", min: 1, max: 1, step: 1, "aria-label": "Moment", oninput: () => this.slide() });
    this.output = element("output", { id: "moment" });
    const step = (name, text, by) => element("button", { type: "button", "aria-label": name, onclick: () => { this.slider.value = Number(this.slider.value) + by; this.slide(); } }, text);
    this.now = element("button", { type: "button", onclick: () => look.go(null) }, "Now");
    this.fork = element("button", { type: "button", title: "Start another case from this moment", onclick: () => forkDialog(look) }, "Fork here\u2026");
    const said = (button, text) => { const before = button.textContent; button.textContent = text; setTimeout(() => { button.textContent = before; }, 1500); };
    this.link = element("button", { type: "button", title: "Copy the address of this moment; whoever has it has your token", onclick: event => {
      const button = event.currentTarget;
      navigator.clipboard.writeText(location.href).then(() => said(button, "Copied"), () => said(button, "See the address bar"));
    } }, "Link");
    this.file = element("button", { type: "button", title: "Save the case with all its entries as JSON", onclick: event => saveCase(look, event.currentTarget) }, "Export");
    this.save = element("button", { type: "button", title: "Save a range as a scenario", onclick: () => scenarioDialog(look) }, "Scenario\u2026");
    this.host = document.getElementById("travel");
    this.host.replaceChildren(step("One entry back", "\u2039", -1), this.slider, step("One entry on", "\u203a", 1), this.output, this.now,
      ...look.model.cases && !look.model.readOnly ? [this.fork] : [], this.link, this.file, this.save);
  }

  reach(first, last) {
    const wasLast = !this.look.row;
    this.slider.min = Math.min(first, Math.max(1, last));
    this.slider.max = Math.max(1, last);
    if (wasLast) this.slider.value = last;
    this.show(this.look.row);
  }

  slide() {
    const row = this.look.timeline.at(Number(this.slider.value));
    if (!row) return;
    this.look.go(Number(this.slider.value) >= this.look.timeline.last ? null : row);
    this.look.timeline.reveal(row);
  }

  show(row) {
    const last = this.look.timeline.last;
    const isPast = Boolean(row);
    if (!isPast) this.slider.value = last;
    else if (!row.pending) this.slider.value = row.s;
    this.output.textContent = isPast ? row.pending ? "not in an entry" : `entry ${row.s} of ${last}, after ${span(row.t / 1e6)}` : `now, ${plural(last, "entry").replace("entrys", "entries")}`;
    this.host.classList.toggle("past", isPast);
    this.now.disabled = !isPast;
  }
}
