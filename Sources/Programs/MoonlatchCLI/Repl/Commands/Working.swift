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

extension Session {
  /// Runs scenario files, which reach the session's own flow wherever it lies.
  ///
  /// - Parameter looks: whether it stops at what did not end well, and keeps the last state for `:look`.
  func runScenarios(_ path: String, looks: Bool = false) throws -> String {
    let flow = text.file.map { [$0.path] } ?? []
    let report = TextReport()
    var lines: [String] = []
    var halt: Halt?
    var isWell = true
    let summary = OtherRuns.endingOnInterrupt {
      Runner().run(
        Selection([path], reaching: flow),
        isStopped: { Interruption.hasCome || looks && !isWell },
        halted: looks ? { halt = $0 } : nil
      ) { event in
        if !event.isWell { isWell = false }
        if let text = report.text(for: event) { lines.append(text) }
      }
    }
    if !summary.isEmpty { lines.append(report.text(for: summary)) }
    if Interruption.hasCome {
      lines.append("interrupted: not everything was run")
    } else if let halt {
      lines.append(try keep(halt, goes: !isWell))
    }
    let text = lines.joined(separator: "\n")
    if summary.notWell > 0 || summary.isEmpty { throw CommandError(text) }
    return text
  }
}

extension Session {
  // MARK: Stubs, settings

  fileprivate func stub(_ text: String) throws -> String {
    if text.isEmpty {
      if stubs.isEmpty { return "nothing is answered for; :stub root.NAME VALUE does" }
      return stubs.map { "\($0.name) = \($0.source)" }.joined(separator: "\n")
    }
    let name = String(text.prefix { !$0.isWhitespace })
    let source = text.dropFirst(name.count).trimmed
    guard let match = name.wholeMatch(of: /(\w+)\.(\w+)/), !source.isEmpty else {
      throw CommandError(":stub takes a capability and a value: :stub root.fetch \"text\"")
    }
    guard engine.scopeNames.contains(String(match.1)) else {
      throw CommandError(
        "there is no scope \(match.1)"
          + Names.suggestion(for: String(match.1), among: engine.scopeNames))
    }
    try stub(name, source)
    return "\(name) is answered for"
  }

  fileprivate func set(_ text: String) throws -> String {
    let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
    if words.isEmpty {
      return settings.limits.map { "\($0.name) \($0.value)" }.joined(separator: "\n")
        + "\nviews \(settings.showsViews ? "on" : "off")\ncolor \(style.isColored ? "on" : "off")"
    }
    guard words.count == 2 else {
      throw CommandError(":set takes a name and a value: :set depth 3")
    }
    switch (words[0], words[1]) {
    case ("views", "on"), ("views", "off"):
      settings.showsViews = words[1] == "on"
      engine.unfollowViews()
      viewValues = settings.showsViews ? engine.followViews() : [:]
    case ("color", "on"), ("color", "off"): style = Style(isColored: words[1] == "on")
    case ("depth", _), ("items", _), ("width", _):
      guard let number = Int(words[1]), (1...100_000).contains(number) else {
        throw CommandError("\(words[0]) takes a number from 1 on, not \"\(words[1])\"")
      }
      switch words[0] {
      case "depth": settings.depth = min(number, 90)
      case "items": settings.items = number
      default: settings.width = number
      }
      for (name, value) in settings.limits {
        try ask("session_limit", [.string(name), .integer(value)])
      }
    case ("views", let value), ("color", let value):
      throw CommandError("\(words[0]) is on or off, not \"\(value)\"")
    default:
      throw CommandError(
        "there is nothing to set that is called \(words[0]) (there are depth, items, width, views, "
          + "color)")
    }
    return ""
  }
}
