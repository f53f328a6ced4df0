// The dialogs: a range as a scenario, a fork, and what is done to many cases; and a case as a file.

function openDialog(title, ...parts) {
  const dialog = document.getElementById("scenario");
  const close = element("button", { type: "button", onclick: () => dialog.close() }, "Close");
  dialog.replaceChildren(element("div", "bar", element("h2", { id: "scenario-title" }, title), close), ...parts);
  if (!dialog.open) dialog.showModal();
  return dialog;
}

const entryOf = look => look.row && !look.row.pending ? look.row.s : look.timeline.last;

function scenarioDialog(look) {
  const { first, last } = look.timeline;
  const number = (label, value) => element("label", "", `${label} `, element("input", { type: "number", min: first, max: last, value: String(value) }));
  const from = number("From entry", first), to = number("to entry", entryOf(look));
  const text = element("pre", { tabindex: "0", hidden: true, "aria-label": "The scenario" });
  const message = element("p", { class: "empty", role: "status" });
  const save = element("a", { hidden: true }, "Save the file");
  const copy = element("button", { type: "button", hidden: true, onclick: () => navigator.clipboard.writeText(text.textContent).then(() => { message.textContent = "Copied."; }) }, "Copy");
  const make = element("form", { class: "send", onsubmit: async event => {
    event.preventDefault();
    try {
      const [one, other] = [from, to].map(each => each.querySelector("input").value);
      const answer = await ask(`${named("cases", look.id)}/scenario?from=${one}&to=${other}`);
      text.textContent = answer.text;
      URL.revokeObjectURL(save.href);
      Object.assign(save, { href: URL.createObjectURL(new Blob([answer.text], { type: "text/plain" })), download: answer.name });
      for (const each of [text, save, copy]) each.hidden = false;
      message.textContent = "Run it with: moonlatch run " + answer.name;
    } catch (error) { message.textContent = visible(error.message); }
  } }, from, to, element("button", { class: "main" }, "Write it"), copy, save);
  openDialog("A range as a scenario", make, message, text);
  make.requestSubmit();
}

function forkDialog(look) {
  const at = entryOf(look);
  const name = element("input", { value: `${look.id} at ${at}`, "aria-label": "Id of the new case", size: 36 });
  const message = element("p", { class: "empty", role: "status" }, "The new case continues from that moment on its own; this one does not change.");
  const dialog = openDialog(`Fork at entry ${at}`, element("form", { class: "send", onsubmit: async event => {
    event.preventDefault();
    try {
      await ask(`${named("cases", look.id)}/fork`, JSON.stringify({ at, as: name.value }));
      dialog.close();
      openCase(name.value);
    } catch (error) { message.textContent = visible(error.message); }
  } }, name, element("button", { class: "main" }, "Fork")), message);
}

// Asks before something is done to cases, and does it to one after the other.
function manyDialog({ title, warning, button, cases, act, done }) {
  const message = element("p", { class: "empty", role: "status" }, warning);
  const failures = element("ul", "list");
  const go = element("button", { class: "main" }, button);
  const names = element("details", "", element("summary", "", plural(cases.length, "case")), element("ul", "list", ...cases.map(id => element("li", "", id))));
  openDialog(title, message, names, element("form", { class: "send", onsubmit: async event => {
    event.preventDefault();
    go.disabled = true;
    let count = 0;
    for (const id of cases) {
      try { await act(id); count += 1; } catch (error) { failures.append(element("li", "", element("b", "", id), element("span", "why failed", ` ${error.message}`))); }
      message.textContent = `${count} of ${plural(cases.length, "case")} done`;
    }
    go.hidden = true;
    done();
  } }, go), failures);
}

// Asks before something is done.
function confirmDialog({ title, warning, button, act }) {
  const message = element("p", { class: "empty", role: "status" }, warning);
  const dialog = openDialog(title, message, element("form", { class: "send", onsubmit: async event => {
    event.preventDefault();
    try {
      await act();
      dialog.close();
    } catch (error) { message.textContent = visible(error.message); }
  } }, element("button", { class: "main" }, button)));
}

// Answers a dead task in the place of its worker: with a result, or with an error.
function answerDialog(task, done) {
  const result = element("textarea", { rows: 4, spellcheck: "false", "aria-label": "Result as JSON", placeholder: "JSON, or nothing" });
  const text = element("input", { "aria-label": "Error", placeholder: "the text of the error", autocomplete: "off" });
  const retryable = element("input", { type: "checkbox" });
  const error = element("div", { class: "payload", hidden: true }, text,
    element("label", "check", retryable, " retryable: a retry of the flow tries again"));
  const kind = element("select", { "aria-label": "Answer with", onchange: () => {
    result.hidden = kind.value !== "result";
    error.hidden = kind.value === "result";
  } }, element("option", { value: "result" }, "a result"), element("option", { value: "error" }, "an error"));
  const message = element("p", { class: "empty", role: "status" }, `The effect of case ${task.case} continues with this answer of ${task.capability}.`);
  // The result is sent as it was typed, because JavaScript rounds large integers.
  const answer = () => {
    if (kind.value === "error") return ["fail", JSON.stringify({ error: text.value, retryable: retryable.checked })];
    const json = result.value.trim();
    if (json) JSON.parse(json);
    return ["complete", json ? `{"result":${json}}` : "{}"];
  };
  const dialog = openDialog(`Answer task ${task.id}`, message, element("form", { class: "answer", onsubmit: async event => {
    event.preventDefault();
    try {
      const [path, body] = answer();
      await ask(`${named("tasks", task.id)}/${path}`, body);
      dialog.close();
      done();
    } catch (error) { message.textContent = visible(error instanceof SyntaxError ? `This is not JSON: ${error.message}` : error.message); }
  } }, kind, result, error, element("div", "send", element("button", { class: "main" }, "Answer"))));
}

function saveText(name, text, type) {
  const link = element("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// A case with all its entries as JSON.
async function saveCase(look, button) {
  const { id } = look, name = button.textContent;
  button.disabled = true;
  try {
    let from = 1, whole, rows = [];
    for (;;) {
      const part = await ask(`${named("cases", id)}/export?from=${from}`);
      whole ??= part.case;
      rows = rows.concat(part.rows);
      button.textContent = `${Math.min(100, Math.floor(100 * part.last / Math.max(1, part.end)))} %`;
      if (part.last < from || part.last >= part.end) break;
      from = part.last + 1;
    }
    saveText(`${id.replace(/[^\w.-]+/g, "_")}.json`, `${JSON.stringify({ ...whole, rows }, null, 1)}\n`, "application/json");
  } catch (error) { look.live.textContent = visible(error.message); }
  button.textContent = name;
  button.disabled = false;
}
