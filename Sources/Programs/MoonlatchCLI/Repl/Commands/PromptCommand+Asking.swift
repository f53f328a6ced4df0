import FlowKernel
import FlowLanguage
import LuaRuntime

/// The commands that show something and change nothing.
extension PromptCommand {
  static let asking: [PromptCommand] = [
    PromptCommand(
      name: "help", usage: "[ANYTHING]", summary: "what can be typed, or the meaning of a name",
      detail: "ANYTHING is a command, an action, a view, a field of the state, a machine, a "
        + "gatekeeper, a scope, or a word of the language.",
      argument: .name, run: { try $0.help($1) }),
    PromptCommand(
      name: "state", usage: "[PATH]", summary: "the state, or the value at a path in it",
      detail: "PATH is written as reports print it: rows[1].note.", argument: .path,
      run: { session, path in
        try session.show(path.isEmpty ? "s" : path.hasPrefix("[") ? "s" + path : "s." + path)
      }),
    PromptCommand(
      name: "actions",
      summary: "every action, its payload, and if it may pass now; those that may come first",
      run: { session, _ in session.actions() }),
    PromptCommand(
      name: "why", usage: "ACTION [PAYLOAD] | #N",
      summary: "dry run: which checks accept an action, and which refuse it",
      detail:
        "Shows the decision of payload, scope, machines, gatekeepers and gates, each with its place. Without a "
        + "payload, one that fits is generated. #N shows the changes and causes of that commit.",
      argument: .action, run: { try $0.why($1) }),
    PromptCommand(
      name: "views", summary: "every view and its value", run: { session, _ in session.views() }),
    PromptCommand(
      name: "machines", usage: "[MACHINE]",
      summary: "the current states of the machines, and their transitions",
      detail: "MACHINE is the name of a machine; with a key, the machine of that record: "
        + "stage[\"ann\"].",
      argument: .name,
      run: { session, name in
        name.isEmpty ? session.machines() : try session.machine(name)
      }),
    PromptCommand(
      name: "gatekeepers", summary: "which passages are held, and since when",
      run: { session, _ in session.gatekeepers() }),
    PromptCommand(
      name: "scopes", summary: "the scopes as a tree, open and locked, and which key is missing",
      run: { session, _ in session.scopes() }),
    PromptCommand(
      name: "timers", summary: "queued actions, timers and waiting effects",
      run: { session, _ in session.timers() }),
    PromptCommand(
      name: "graph", usage: "[FORMAT]", summary: "the flow as a drawing, in text",
      detail: "FORMAT is mermaid (the default), dot, scxml or xstate.",
      argument: .oneOf(Session.graphFormats), run: { try $0.graph($1) }),
    PromptCommand(
      name: "coverage", summary: "what the session has exercised, and what not",
      detail: "Actions, gates, transitions, states and lines since the flow was loaded, as "
        + "moonlatch run --coverage reports them.",
      run: { session, _ in try session.coverageReport() }),
    PromptCommand(
      name: "source", usage: "NAME", summary: "the source of everything declared under a name",
      detail: "NAME is push, gate.push or reduce.push, or the name of a machine, a gatekeeper, a "
        + "scope, a view or an invariant.",
      argument: .name, run: { try $0.source(of: $1) }),
  ]
}
