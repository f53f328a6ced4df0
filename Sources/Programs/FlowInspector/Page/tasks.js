// The tasks that an operator has to see to: dead ones, and answers that nothing waited for, by number.

class TasksView {
  constructor(model, open) {
    Object.assign(this, { model, open, host: document.getElementById("tasks"), after: [], queue: "", pace: 2000 });
    this.all = element("button", { type: "button", hidden: true, onclick: () => this.retryAll() }, "Retry all\u2026");
    this.queues = element("div", { class: "counts", role: "group", "aria-label": "Tasks by queue" });
    this.message = element("p", { class: "empty", role: "status" });
    this.outcome = element("p", { class: "hint note", role: "status" });
    this.rows = element("div", "");
    this.host.replaceChildren(element("div", "inner",
      element("div", "bar", element("h2", { id: "tasks-title" }, "Dead tasks"), this.all),
      element("p", "hint note", "An effect waits for a dead task until somebody retries or answers it. An unheard answer came when nothing waited for it any more."),
      this.queues, this.outcome, this.message, this.rows));
  }

  show() {
    this.isShown = true;
    this.outcome.textContent = "";
    this.load();
  }

  hide() { this.isShown = false; clearTimeout(this.timer); }

  async load() {
    clearTimeout(this.timer);
    const query = new URLSearchParams({ limit: "100" });
    if (this.queue) query.set("queue", this.queue);
    if (this.after.length) query.set("after", this.after.at(-1));
    const asked = String(query);
    this.asked = asked;
    try {
      const answer = await ask(`tasks?${asked}`);
      if (this.asked === asked) this.fill(answer);
    } catch (error) {
      this.text = "";
      if (this.asked === asked) this.message.textContent = visible(error.message);
    }
    clearTimeout(this.timer);
    if (this.isShown) this.timer = setTimeout(() => this.load(), this.pace);
  }

  fill({ tasks, queues, next, mayOperate }) {
    const text = JSON.stringify([tasks, queues, next, mayOperate, this.queue, Math.floor(Date.now() / 60000)]);
    if (this.text === text) return;
    this.text = text;
    this.all.hidden = !mayOperate || !queues.length;
    this.message.textContent = tasks.length ? "" : this.after.length || this.queue ? "There is no such task." : "No task is dead, and no answer is unheard.";
    const only = name => () => { this.queue = this.queue === name ? "" : name; this.after = []; this.load(); };
    this.queues.replaceChildren(...queues.map(([name, count]) =>
      element("button", { type: "button", class: "chip", "aria-pressed": String(this.queue === name), onclick: only(name) }, `${name} `, element("b", "", String(count)))));
    const step = (name, go) => element("button", { type: "button", onclick: () => { go(); this.load(); } }, name);
    this.rows.replaceChildren(tasks.length ? this.table(tasks, mayOperate) : "",
      element("div", "send", this.after.length ? step("Back", () => this.after.pop()) : null, next ? step("More", () => this.after.push(next)) : null));
  }

  table(tasks, mayOperate) {
    const titles = [["Task"], ["Case"], ["Capability"], ["Attempts", "wide"], ["Since", "wide"], ["Error or answer"]];
    return element("table", "", element("thead", "", element("tr", "",
      ...titles.map(([title, name]) => element("th", { scope: "col", class: name }, title)),
      mayOperate ? element("th", { scope: "col" }, "Actions") : null)),
    element("tbody", "", ...tasks.map(task => this.row(task, mayOperate))));
  }

  row(task, mayOperate) {
    const link = element("a", { href: `#${new URLSearchParams({ token, case: task.case })}`, onclick: event => { event.preventDefault(); this.open(task.case); } }, task.case);
    const since = task.state === "unheard" ? task.answered ?? task.opened : task.opened;
    return element("tr", task.state, element("td", "number", task.id, element("span", `chip ${task.state}`, task.state)),
      element("td", "", link, element("div", "soft call wide", task.call)),
      element("td", "", element("b", "", task.capability), element("div", "soft", `queue ${task.queue}`)),
      element("td", "wide", String(task.attempt), task.worker ? element("div", "soft", `last ${task.worker}`) : null),
      element("td", "wide", ago((Date.now() * 1000 - since) / 1e6)),
      element("td", "", ...this.facts(task)),
      mayOperate ? element("td", "buttons", element("div", "send", ...this.buttons(task))) : null);
  }

  facts(task) {
    const value = (title, value) => value === undefined ? null
      : isLeaf(value) ? element("div", "", element("span", "soft", `${title}: `), leafText(value))
        : element("details", "", element("summary", "", title), tree(value));
    const kind = task.final === undefined ? "" : task.final ? " (final)" : " (retryable)";
    return [task.error ? element("div", "why failed", task.error, element("span", "soft", kind)) : null, value("answer", task.result), value("arguments", task.args)];
  }

  buttons(task) {
    const button = (name, go) => element("button", { type: "button", "aria-label": `${name} task ${task.id}`, onclick: go }, name);
    if (task.state === "unheard") return [button("Drop\u2026", () => this.drop(task))];
    return [task.missing ? null : button("Retry", () => this.retry(task)),
      task.notification ? button("Drop\u2026", () => this.drop(task)) : button("Answer\u2026", () => answerDialog(task, () => this.say(`Task ${task.id} is answered.`)))];
  }

  say(text) {
    this.outcome.textContent = visible(text);
    this.load();
  }

  async retry(task) {
    try {
      await ask(`${named("tasks", task.id)}/retry`, "{}");
      this.say(`Task ${task.id} is ready again.`);
    } catch (error) { this.say(error.message); }
  }

  drop(task) {
    const dropped = task.notification ? "event" : "answer";
    confirmDialog({
      title: `Drop the ${dropped} of task ${task.id}?`, button: "Drop",
      warning: task.notification ? "Its receiver is not told of it, and gets the next one. This cannot be undone."
        : "Nothing is undone by that: first see to what the answer says has been done. This cannot be undone.",
      act: async () => { await ask(`${named("tasks", task.id)}/drop`, "{}"); this.say(`The ${dropped} of task ${task.id} is dropped.`); },
    });
  }

  retryAll() {
    const { queue } = this;
    confirmDialog({
      title: queue ? `Retry all dead tasks of queue ${queue}?` : "Retry all dead tasks?", button: "Retry all",
      warning: "Workers can claim them again, 1,000 at most at once. A task that nobody provides stays dead.",
      act: async () => {
        const { count } = await ask("tasks/retry", JSON.stringify(queue ? { state: "dead", queue } : { state: "dead" }));
        this.say(count ? `${plural(count, "task")} ready again.` : "No task is ready again: nobody provides them, or they are answers that nothing waited for.");
      },
    });
  }
}
