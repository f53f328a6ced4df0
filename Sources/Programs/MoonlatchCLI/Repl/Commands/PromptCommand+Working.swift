import FlowLanguage
import Scenarios

/// The commands that work on files and on the session itself.
extension PromptCommand {
  static let working: [PromptCommand] = [
    PromptCommand(
      name: "reload", usage: "[keep|replay|reset]",
      summary: "reloads the flow's file",
      detail:
        "keep (the default) keeps the state; replay replays the session from the initial state; "
        + "reset begins with the initial state. A flow with errors is not loaded.",
      argument: .oneOf(Session.Reload.allCases.map(\.rawValue)),
      run: { session, text in
        guard let mode = Session.Reload(rawValue: text.isEmpty ? "keep" : text) else {
          throw CommandError(":reload takes keep, replay or reset, not \"\(text)\"")
        }
        return try session.reload(mode)
      }),
    PromptCommand(
      name: "save", usage: "FILE", summary: "saves the session, or the flow that was typed",
      detail: "FILE.scenario.lua: the session as a scenario, which is run at once. FILE.jsonl: its "
        + "transcript, for :load. FILE.lua: a flow that was typed at the prompt.",
      argument: .file, run: { try $0.save($1) }),
    PromptCommand(
      name: "run", usage: "FILE", summary: "runs a scenario file, a folder of them, or FILE:LINE",
      detail: "It stops at the first failed expectation, and the prompt is then in that state: s, "
        + ":why, :undo and all. If none fails, :look goes to the state at the end.",
      argument: .file,
      run: { session, path in
        guard !path.isEmpty else { throw CommandError(":run takes a file: :run NAME.scenario.lua") }
        return try session.runScenarios(path, looks: true)
      }),
    PromptCommand(
      name: "look", summary: "goes to the state in which the last :run ended, and back",
      run: { session, _ in try session.look() }),
    PromptCommand(
      name: "load", usage: "FILE", summary: "plays a transcript, or a file of inputs",
      detail:
        "A transcript (:save FILE.jsonl) is replayed from the initial state, and the first "
        + "difference is reported; any other file is read as if it were typed.",
      argument: .file, run: { try $0.load($1) }),
    PromptCommand(
      name: "stub", usage: "[CAPABILITY VALUE]", summary: "stubs a capability of the host",
      detail:
        "CAPABILITY is root.fetch; VALUE is any Lua expression, or a function that returns the "
        + "result (it may sleep and raise). Alone: lists the stubs.",
      argument: .scope, run: { try $0.stub($1) }),
    PromptCommand(
      name: "edit", summary: "opens the flow in $EDITOR, then reloads it",
      run: { session, _ in try session.edit() }),
    PromptCommand(
      name: "set", usage: "[NAME VALUE]",
      summary: "how much is shown: depth, items, width, views, writes, color",
      detail: "writes on: each write of a commit, in place of the net changes.",
      argument: .oneOf(["depth", "items", "width", "views", "writes", "color"]),
      run: { try $0.set($1) }),
  ]
}
