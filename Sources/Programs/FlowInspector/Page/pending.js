// The panel "Pending": timers, effects with their waits, failed effects, passages and scopes. Times update by themselves.

// Shown times are updated after so many milliseconds.
const tick = 1000;

class PendingPanel {
  constructor(look) {
    this.look = look;
    this.body = panel("pending", "Pending");
    this.ticking = [];
    setInterval(() => { if (!document.hidden) for (const each of this.ticking) each(); }, tick);
  }

  // A text that depends on the time and is updated with it.
  at(make) {
    const made = element("span", "time");
    const write = () => { made.textContent = make(this.now()); };
    write();
    if (this.goesOn) this.ticking.push(write);
    return made;
  }

  // The case's time: that of the moment, and what has passed since it was asked for.
  now() { return this.goesOn ? this.moment.time + (performance.now() - this.came) / 1000 : this.moment.time; }

  since(time) { return this.at(now => span(Math.max(0, Math.floor(now - time)))); }

  until(time) { return this.at(now => time < now - 1 ? `${span(Math.floor(now - time))} late` : `in ${span(Math.max(0, Math.ceil(time - now)))}`); }

  show(moment) {
    this.ticking = [];
    Object.assign(this, { moment, came: performance.now(), goesOn: this.look.model.clockMoves && !moment?.past });
    if (!moment?.pending) {
      this.body.replaceChildren(element("p", "empty", "Pending work can only be shown for the present here."));
      return;
    }
    const part = (title, items, none) => [element("h3", "", title), items.length ? element("ul", "list", ...items) : element("p", "empty", none)];
    const effects = moment.pending.filter(each => each.kind === "effect");
    const others = moment.pending.filter(each => each.kind !== "effect");
    const held = moment.passages.flatMap(gatekeeper => gatekeeper.held.map(each => this.passage(gatekeeper, each)));
    this.body.replaceChildren(
      ...part("Timers and queued actions", others.map(each => this.timer(each)), effects.length ? "Nothing is due." : "Nothing happens by itself."),
      ...effects.length ? part("Effects", effects.map(each => this.effect(each))) : [],
      ...moment.failed?.length ? part("Effects that failed", moment.failed.map(each => this.failure(each))) : [],
      ...moment.passages.length ? part("Passages", held, "None is held.") : [],
      ...moment.scopes.length > 1 ? part("Scopes", moment.scopes.map(each => this.scope(each)), "") : []);
  }

  because(cause) { return cause ? element("span", "soft", `  because of #${cause}`) : null; }

  timer(item) {
    return element("li", "", item.due === undefined ? element("span", "soft", item.kind === "queued" ? "next: " : "")
      : element("span", `due${item.due < this.now() - 1 ? " late" : ""}`, this.until(item.due), "  "),
    item.what, item.payload ? element("span", "soft", ` ${item.payload}`) : null, this.because(item.cause));
  }

  effect(effect) {
    const waits = (effect.waits_for ?? []).map(wait => element("div", "wait", ...this.wait(wait), wait.function ? element("span", "soft", `  ${wait.function}`) : null,
      wait.task ? this.task(wait.task) : null));
    return element("li", "", element("b", "", effect.what), element("span", `chip ${effect.status}`, effect.status),
      effect.durable ? element("span", "soft", "durable, ") : null, this.because(effect.cause),
      ...waits.length ? waits : [element("div", "wait soft", "for ", this.since(effect.since))], this.attempts(effect.attempts));
  }

  wait(wait) {
    const attempt = wait.attempt > 1 ? element("span", "soft", `, attempt ${wait.attempt}`) : null;
    if (wait.capability) return ["waits for ", element("b", "", wait.capability), " for ", this.since(wait.since), attempt];
    return [wait.retries ? "tries again " : "sleeps, continues ", element("span", "due", this.until(wait.until)), element("span", "soft", ", since "), this.since(wait.since), attempt && !wait.retries ? attempt : null];
  }

  // The task for whose answer an effect waits.
  task(task) {
    const until = (before, after) => this.at(now => task.until > now ? `${before} in ${span(Math.ceil(task.until - now))}.` : after(Math.floor(now - task.until)));
    const states = {
      ready: () => [until("it can be claimed", () => "no worker has it.")],
      leased: () => [`${task.worker} has it; `, until("its lease ends", seconds => `its lease ended ${span(seconds)} ago.`)],
      called: () => ["it is accepted; its answer comes later."],
      answered: () => ["it has its answer."],
      dead: () => ["an operator has to see to it: ", element("a", { href: tasksAddress() }, "dead tasks"), "."],
    };
    return element("div", "task", `task ${task.id} of queue ${task.queue}`, element("span", `chip ${task.state}`, task.state),
      element("div", "soft", task.attempt ? `attempt ${task.attempt}: ` : "", ...states[task.state]?.() ?? [],
        task.deadline === undefined ? null : [" Without an answer it fails ", this.until(task.deadline), "."]),
      task.error ? element("div", "why failed", `last error: ${task.error}`) : null);
  }

  attempts(attempts) {
    if (!attempts?.length) return null;
    const last = attempts.at(-1);
    return element("details", "", element("summary", "why failed", `${plural(attempts.length, "failed attempt")}, the last: ${last.error.split("\n")[0]}`),
      element("ul", "list", ...attempts.map(each => element("li", "", element("span", "soft", `attempt ${each.attempt} of ${each.times}, `, this.since(each.time), " ago: "), each.error))));
  }

  failure(failed) {
    const [first, ...rest] = failed.reason.split("\n");
    return element("li", "", element("b", "failed", failed.effect), ` of ${failed.action}`, this.because(failed.cause), "  ",
      element("button", { type: "button", class: "link", title: "Look at that moment", onclick: () => this.look.goTo(failed.seq) }, `entry ${failed.seq}`),
      element("div", "why failed", first), rest.length ? element("details", "", element("summary", "soft", "where"), element("pre", "calls", rest.join("\n"))) : null,
      element("div", "soft", failed.handler ? `${failed.handler} followed` : failed.fault ? "a fault of the script; nothing followed" : "nothing followed"), this.attempts(failed.attempts));
  }

  passage(gatekeeper, each) {
    return element("li", "", element("b", "", gatekeeper.name), each.option ? `: ${each.option}` : "",
      element("span", "soft", `  held by ${each.by} since #${each.since}, for `, this.since(each.time)));
  }

  scope(scope) {
    const since = this.moment.since?.[scope.name];
    return element("li", scope.open ? "" : "soft", element("b", "", scope.name),
      scope.open ? scope.key ? ` open with ${scope.key}` : " open" : "",
      scope.open && since !== undefined && scope.parent ? element("span", "soft", ", for ", this.since(since)) : null,
      scope.open ? null : ` locked: ${scope.wanting ?? scope.name} needs its key`);
  }
}
