// Begins: what the fragment names is opened, or the list of cases.

let openCase;

// The address of the page of dead tasks.
const tasksAddress = () => `#${new URLSearchParams({ token, tasks: "dead" })}`;

async function start() {
  const main = document.getElementById("main");
  const notice = text => main.replaceChildren(element("p", { class: "notice", role: "alert" }, text));
  let model;
  try { model = await ask("flow"); } catch (error) {
    document.getElementById("travel").hidden = true;
    main.classList.add("listing");
    return notice(error.answer?.status === 401 || error.answer?.status === 403
      ? "The address has no token, or not the one of this run. Open the whole address that the command has printed."
      : `The server does not answer: ${error.message}`);
  }
  const file = model.flow.split("/").at(-1);
  document.title = `${file} \u00b7 Inspector`;
  document.getElementById("flow").textContent = file;
  const look = new Inspector(model);
  const cases = model.cases ? new CasesView(model, id => openCase(id)) : null;
  const tasks = model.tasks ? new TasksView(model, id => openCase(id)) : null;
  const chooser = document.getElementById("case");
  chooser.hidden = !model.cases;
  const tabs = [["timeline", "Timeline"], ["machines", "Machines"], ["detail", "Change"], ["actions", "Actions"], ["pending", "Pending"]];
  const tabBar = document.getElementById("tabs");
  const panelOf = name => {
    for (const [each] of tabs) document.getElementById(each).classList.toggle("shown", each === name);
    for (const button of tabBar.children) button.setAttribute("aria-pressed", String(button.dataset.panel === name));
  };
  tabBar.replaceChildren(...tabs.map(([name, title]) => element("button", { type: "button", "data-panel": name, onclick: () => panelOf(name) }, title)));
  panelOf("timeline");
  // Shows one of the two lists, or a case if it is given none.
  const list = shown => {
    main.classList.toggle("listing", Boolean(shown));
    document.getElementById("travel").hidden = Boolean(shown);
    tabBar.hidden = Boolean(shown);
    for (const each of [cases, tasks]) {
      if (!each) continue;
      each.host.hidden = each !== shown;
      if (each !== shown) each.hide();
    }
    if (shown) { look.close(); shown.show(); look.live.textContent = ""; look.live.className = ""; }
  };
  const route = () => {
    const named = new URLSearchParams(location.hash.slice(1));
    const back = (text, label) => {
      chooser.hidden = !model.cases;
      chooser.textContent = visible(`\u2039 ${text}`);
      chooser.setAttribute("aria-label", label);
    };
    if (tasks && named.get("tasks") === "dead") {
      list(tasks);
      back("cases", "All cases");
      document.title = `Dead tasks \u00b7 ${file}`;
      return;
    }
    const id = named.get("case") ?? model.only;
    const [, s, n] = /^(\d{1,15})(?:\.(\d{1,6}))?$/.exec(named.get("at") ?? "") ?? [];
    if (!id) { chooser.textContent = ""; chooser.hidden = true; document.title = `${file} \u00b7 Inspector`; return list(cases); }
    list(null);
    back(id, `All cases; this is ${id}`);
    document.title = `${id} \u00b7 ${file}`;
    look.open(id, s === undefined ? undefined : { s: Number(s), n: Number(n ?? 0) }).catch(error => { look.live.textContent = visible(error.message); look.live.className = "off"; });
  };
  openCase = id => { location.hash = String(new URLSearchParams(id ? { token, case: id } : { token })); };
  chooser.onclick = () => openCase(null);
  addEventListener("hashchange", route);
  route();
}

start();
