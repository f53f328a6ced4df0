// The actions: which may pass now and who is against the others, and a form for one of them.

class ActionsPanel {
  constructor(model, look) {
    Object.assign(this, { model, look, chosen: null, may: {}, isPast: false });
    this.body = panel("actions", "Actions");
    this.list = element("ul", "actions");
    this.inner = element("ul", "actions");
    this.buttons = new Map();
    for (const action of model.actions) {
      const reason = element("span", "reason");
      const button = element("button", { type: "button", "aria-pressed": "false", onclick: () => this.choose(action) }, element("span", "name", action.name), reason);
      this.buttons.set(action.name, { button, reason });
      (action.internal ? this.inner : this.list).append(element("li", "", button));
    }
    this.form = element("form", { hidden: true, "aria-label": "Dispatch", onsubmit: event => { event.preventDefault(); this.send(); } });
    this.body.append(this.form, this.list);
    if (this.inner.childElementCount)
      this.body.append(element("details", "", element("summary", "soft", `${plural(this.inner.childElementCount, "internal action")}, of effects and timers`), this.inner));
  }

  show(may, isPast) {
    Object.assign(this, { may: may ?? {}, isPast });
    for (const [name, { button, reason }] of this.buttons) {
      const one = this.may[name];
      button.classList.toggle("cannot", one?.may === false);
      reason.textContent = one?.may === false ? `${one.who ? `${one.who}: ` : ""}${one.why}` : "";
    }
    if (this.chosen) this.check();
  }

  choose(action) {
    this.chosen = this.chosen === action ? null : action;
    for (const [name, { button }] of this.buttons) button.setAttribute("aria-pressed", String(name === this.chosen?.name));
    this.form.hidden = !this.chosen;
    if (!this.chosen) return;
    this.fields = payloadForm(action.payload, () => this.check());
    this.by = element("input", { autocomplete: "off", id: "by", placeholder: "nobody", oninput: () => this.check() });
    this.verdict = element("div", { class: "verdict", role: "status" });
    this.anyway = element("input", { type: "checkbox", onchange: () => this.ready() });
    this.button = element("button", { class: "main", disabled: true }, `Dispatch ${action.name}`);
    this.form.replaceChildren(element("fieldset", "", element("legend", "", element("b", "", action.name)), this.fields.node,
      element("div", "payload", element("div", "field", element("label", { for: "by" }, "by"), this.by)), this.verdict,
      element("div", "send", this.button, element("label", "check", this.anyway, " even if it is refused"))));
    this.form.scrollIntoView({ block: "nearest" });
    this.check();
  }

  say(kind, text) { this.verdict.className = `verdict ${kind}`; this.verdict.textContent = visible(text); }

  // Whether what is filled in may pass, asked a little after the last change.
  check() {
    clearTimeout(this.timer);
    this.granted = false;
    if (this.model.readOnly) { this.say("soft", "This inspector changes nothing: it is read-only."); return this.ready(); }
    if (this.isPast) { this.say("soft", "You look at the past. Go back to now to dispatch."); return this.ready(); }
    let body;
    try { body = this.fields.json(); } catch (error) {
      this.say("soft", error instanceof Missing ? `Wanted: ${error.message}` : String(error));
      this.body_ = undefined;
      return this.ready();
    }
    this.body_ = body;
    this.timer = setTimeout(async () => {
      const { name } = this.chosen ?? {};
      if (!name || this.body_ !== body) return;
      try {
        const answer = await ask(`${named("cases", this.look.id, "may", name)}${this.who()}`, body);
        if (this.body_ !== body || this.chosen?.name !== name) return;
        this.granted = answer.may;
        this.say(answer.may ? "passed" : answer.failed ? "failed" : "refused", answer.may ? "It may pass." : `${answer.who}: ${answer.why}`);
      } catch (error) { this.say("failed", error.message); }
      this.ready();
    }, 60);
    this.ready();
  }

  who() { return this.by.value ? `?by=${encodeURIComponent(this.by.value)}` : ""; }

  ready() {
    this.button.disabled = this.isPast || this.model.readOnly || this.body_ === undefined || !(this.granted || this.anyway.checked);
  }

  async send() {
    if (this.button.disabled) return;
    this.button.disabled = true;
    const { name } = this.chosen;
    try {
      const row = await ask(`${named("cases", this.look.id, "actions", name)}${this.who()}`, this.body_);
      this.say(row.o, row.o === "passed" ? `It passed as #${row.r}.` : `${row.o} by ${row.k}: ${row.y}`);
    } catch (error) {
      this.say("failed", error.message);
    }
    this.ready();
  }
}
