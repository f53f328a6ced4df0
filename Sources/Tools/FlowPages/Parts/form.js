// A form made from the type of a payload. `json()` gives the payload as JSON text, since JavaScript knows no 64-bit
// integers, or throws what is missing.

let formNumber = 0;

class Missing extends Error {}

function payloadForm(type, changed) {
  formNumber += 1;
  const root = field(type, "", changed, true);
  root.node.classList.add("payload");
  return root;
}

function field(type, name, changed, isRoot = false, isOptional = false) {
  if (type.kind === "optional") return field({ ...type.element, hint: type.text }, name, changed, false, true);
  const may = isOptional || type.default !== undefined;
  const make = { record: recordField, list_of: listField, map_of: mapField, boolean: choiceField, one_of: choiceField }[type.kind] ?? textField;
  return make(type, name, changed, may, isRoot);
}

const hintOf = (type, may) => type.default !== undefined ? `${type.text}; ${type.default} if left out` : may ? `${type.text}, or left out` : type.text;

function labelled(type, name, may, input) {
  const id = `field${formNumber += 1}`;
  input.id = id;
  const hint = element("span", { class: "hint", id: `${id}-hint` }, hintOf(type, may));
  input.setAttribute("aria-describedby", hint.id);
  if (!may) input.setAttribute("aria-required", "true");
  return element("div", "field", element("label", { for: id }, name || "value"), input, hint);
}

function textField(type, name, changed, may) {
  const isNumber = type.kind === "integer" || type.kind === "number";
  const isAny = type.kind === "any";
  const input = element(isAny ? "textarea" : "input", {
    autocomplete: "off", spellcheck: "false", oninput: changed, rows: isAny ? 2 : undefined,
    type: isAny ? undefined : type.secret ? "password" : "text", inputmode: isNumber ? "decimal" : undefined,
    placeholder: isAny ? "JSON" : undefined,
  });
  const node = labelled(type, name, may, input);
  if (type.samples?.length && !isAny) {
    const list = element("datalist", { id: `${input.id}-samples` },
      ...type.samples.map(each => element("option", { value: type.kind === "string" ? JSON.parse(each) : each })));
    input.setAttribute("list", list.id);
    node.append(list);
    if (!may) input.value = type.kind === "string" ? JSON.parse(type.samples[0]) : type.samples[0];
  }
  return { node, json: () => {
    const text = input.value;
    if (text === "" && (may || type.kind !== "string")) {
      if (may) return undefined;
      throw new Missing(`${name || "the payload"}: ${type.text}`);
    }
    if (isNumber) {
      if (!/^-?\d+$/.test(text) && (type.kind === "integer" || !/^-?\d+(\.\d+)?([eE][-+]?\d+)?$/.test(text)))
        throw new Missing(`${name}: ${type.text}`);
      return type.kind === "number" && /^-?\d+$/.test(text) ? `${text}.0` : text;
    }
    if (!isAny) return JSON.stringify(text);
    try { JSON.parse(text); } catch { throw new Missing(`${name}: JSON, such as "text", 7 or {"a": true}`); }
    return text;
  } };
}

function choiceField(type, name, changed, may) {
  const values = type.kind === "boolean" ? ["true", "false"] : type.values;
  const input = element("select", { onchange: changed },
    may ? element("option", { value: "" }, "left out") : null,
    ...values.map(each => element("option", { value: each }, each.startsWith("\"") ? JSON.parse(each) : each)));
  if (type.default !== undefined && values.includes(type.default)) input.value = type.default;
  return { node: labelled(type, name, may, input), json: () => input.value === "" ? undefined : input.value };
}

function recordField(type, name, changed, may, isRoot) {
  const fields = type.fields.map(each => ({ name: each.name, ...field(each.type, each.name, changed) }));
  const json = () => {
    const parts = [];
    for (const each of fields) {
      const text = each.json();
      if (text !== undefined) parts.push(`${JSON.stringify(each.name)}:${text}`);
    }
    return `{${parts.join(",")}}`;
  };
  if (isRoot) return { node: element("div", "", ...fields.map(each => each.node)), json };
  return optionally(may, name, changed, element("fieldset", "", element("legend", "", name), ...fields.map(each => each.node)), json);
}

function optionally(may, name, changed, node, json) {
  if (!may) return { node, json };
  const box = element("input", { type: "checkbox", onchange: () => { node.hidden = !box.checked; changed(); } });
  node.hidden = true;
  return { node: element("div", "", element("label", "check", box, ` give ${name}`), node), json: () => box.checked ? json() : undefined };
}

function listField(type, name, changed, may) {
  const items = [];
  const rows = element("div", "rows");
  const add = () => {
    const item = field(type.element, `${name} ${items.length + 1}`, changed);
    const row = element("div", "row", item.node, element("button", {
      type: "button", "aria-label": `remove from ${name}`, onclick: () => { items.splice(items.indexOf(item), 1); row.remove(); changed(); },
    }, "\u00d7"));
    items.push(item);
    rows.append(row);
    changed();
  };
  const node = element("fieldset", "", element("legend", "", name, " ", element("span", "hint", type.text)), rows,
    element("button", { type: "button", onclick: add }, `Add to ${name}`));
  const json = () => `[${items.map(each => each.json() ?? "null").join(",")}]`;
  // Where there is a default, nothing in the list is that.
  return type.default === undefined ? optionally(may, name, changed, node, json) : { node, json: () => items.length ? json() : undefined };
}

function mapField(type, name, changed, may) {
  const items = [];
  const rows = element("div", "rows");
  const isNumbered = type.key?.kind === "integer";
  const add = () => {
    const key = element("input", { autocomplete: "off", oninput: changed, "aria-label": `key in ${name}` });
    const item = { key, value: field(type.element, "value", changed) };
    const row = element("div", "row", key, item.value.node, element("button", {
      type: "button", "aria-label": `remove from ${name}`, onclick: () => { items.splice(items.indexOf(item), 1); row.remove(); changed(); },
    }, "\u00d7"));
    items.push(item);
    rows.append(row);
    changed();
  };
  const node = element("fieldset", "", element("legend", "", name, " ", element("span", "hint", type.text)), rows,
    element("button", { type: "button", onclick: add }, `Add to ${name}`));
  const json = () => {
    if (!items.length && isNumbered) return `{"[]":null}`;
    return `{${items.map(({ key, value }) => `${JSON.stringify(isNumbered ? `[${key.value}]` : key.value)}:${value.json() ?? "null"}`).join(",")}}`;
  };
  return type.default === undefined ? optionally(may, name, changed, node, json) : { node, json: () => items.length ? json() : undefined };
}
