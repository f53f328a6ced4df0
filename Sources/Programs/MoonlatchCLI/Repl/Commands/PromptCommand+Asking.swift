import FlowKernel
import FlowLanguage
import LuaRuntime

/// The commands that show something and change nothing.
extension PromptCommand {
  static let asking: [PromptCommand] = [
    PromptCommand(
      name: "help", usage: "[ANYTHING]", summary: "what can be typed, or what a name stands for",
      detail: "ANYTHING is a command, an action, a view, a field of the state, a machine, a "
        + "gatekeeper, a scope, or a word of the language.",
      argument: .name, run: { try $0.help($1) }),
    PromptCommand(
      name: "state", usage: "[PATH]", summary: "the state, or what stands at a place in it",
      detail: "PATH is written as reports print it: rows[1].note.", argument: .path,
      run: { session, path in
        try session.show(path.isEmpty ? "s" : path.hasPrefix("[") ? "s" + path : "s." + path)
      }),
    PromptCommand(
      name: "actions",
      summary: "every action, its payload, and whether it may pass now: first those that may",
      run: { session, _ in session.actions() }),
    PromptCommand(
      name: "why", usage: "ACTION [PAYLOAD] | #N",
      summary: "who lets an action pass and who does not; nothing is dispatched",
      detail: "Steps 1 to 5 of a dispatch, each decision with the place of its rule. Without a "
        + "payload one that fits is made up. #N tells how that transition came about.",
      argument: .action, run: { try $0.why($1) }),
    PromptCommand(
      name: "views", summary: "every view and its value", run: { session, _ in session.views() }),
    PromptCommand(
      name: "machines", usage: "[MACHINE]",
      summary: "where the machines stand, and where they can go",
      detail: "MACHINE is the name of one; one that records have with a key stands for that "
        + "record's: stage[\"ann\"].",
      argument: .name,
      run: { session, name in
        name.isEmpty ? session.machines() : try session.machine(name)
      }),
    PromptCommand(
      name: "gatekeepers", summary: "who holds what, and since when",
      run: { session, _ in session.gatekeepers() }),
    PromptCommand(
      name: "scopes", summary: "the scopes as a tree, open and locked, and which key is wanting",
      run: { session, _ in session.scopes() }),
    PromptCommand(
      name: "timers", summary: "what is queued, pending and waiting",
      run: { session, _ in session.timers() }),
    PromptCommand(
      name: "source", usage: "NAME", summary: "the text of everything declared under a name",
      detail: "NAME is push, gate.push or reduce.push, or the name of a machine, a gatekeeper, a "
        + "scope, a view or an invariant.",
      argument: .name, run: { try $0.source(of: $1) }),
  ]
}
