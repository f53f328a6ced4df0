import FlowLanguage
import Scenarios

/// The commands that work on files and on the session itself.
extension PromptCommand {
  static let working: [PromptCommand] = [
    PromptCommand(
      name: "reload", usage: "[keep|replay|reset]",
      summary: "takes over the flow's text as it is now",
      detail: "keep (the default) keeps the state; replay begins anew and plays the session again; "
        + "reset begins anew. A flow with faults changes nothing.",
      argument: .oneOf(Session.Reload.allCases.map(\.rawValue)),
      run: { session, text in
        guard let mode = Session.Reload(rawValue: text.isEmpty ? "keep" : text) else {
          throw CommandError(":reload takes keep, replay or reset, not \"\(text)\"")
        }
        return try session.reload(mode)
      }),
    PromptCommand(
      name: "save", usage: "FILE", summary: "writes the session, or the flow that was typed",
      detail: "FILE.scenario.lua gets the session as a scenario, which is run at once; FILE.jsonl "
        + "its transcript, for :load; FILE.lua a flow that was typed at the prompt.",
      argument: .file, run: { try $0.save($1) }),
    PromptCommand(
      name: "run", usage: "FILE", summary: "runs a scenario file, a folder of them, or FILE:LINE",
      detail: "It stops where something does not hold, and the prompt is then in that state: s, "
        + ":why, :undo and all. Where everything holds, :look goes to the state at the end.",
      argument: .file,
      run: { session, path in
        guard !path.isEmpty else { throw CommandError(":run takes a file: :run NAME.scenario.lua") }
        return try session.runScenarios(path, looks: true)
      }),
    PromptCommand(
      name: "look", summary: "goes to where the last :run ended, and back again",
      run: { session, _ in try session.look() }),
    PromptCommand(
      name: "load", usage: "FILE", summary: "plays a transcript, or a file of inputs",
      detail:
        "A transcript (:save FILE.jsonl) is played from the beginning and says where it comes "
        + "out differently; any other file is read as if it were typed.",
      argument: .file, run: { try $0.load($1) }),
    PromptCommand(
      name: "stub", usage: "[CAPABILITY VALUE]", summary: "answers for a capability of the host",
      detail: "CAPABILITY is root.fetch; VALUE any Lua expression, a function to work the answer "
        + "out (it may sleep and raise). Alone: what is answered for.",
      argument: .scope, run: { try $0.stub($1) }),
    PromptCommand(
      name: "edit", summary: "opens the flow in $EDITOR, then reloads it",
      run: { session, _ in try session.edit() }),
    PromptCommand(
      name: "set", usage: "[NAME VALUE]",
      summary: "how much is shown: depth, items, width, views, color",
      argument: .oneOf(["depth", "items", "width", "views", "color"]), run: { try $0.set($1) }),
  ]
}
