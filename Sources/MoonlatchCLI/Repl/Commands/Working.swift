import LuaRuntime
import Moonlatch
import Scenarios

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The commands that work on files and on the session itself.
extension PromptCommand {
  static let working: [PromptCommand] = [
    PromptCommand(
      name: "reload", usage: "[keep|replay|reset]", summary: "takes over the flow's text as it is now",
      detail: "keep (the default) keeps the state; replay begins anew and plays the session again; "
        + "reset begins anew. A flow with faults changes nothing.",
      argument: .oneOf(Session.Reload.allCases.map(\.rawValue)),
      run: { session, text in
        guard let mode = Session.Reload(rawValue: text.isEmpty ? "keep" : text) else {
          throw Misuse(":reload takes keep, replay or reset, not \"\(text)\"")
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
      argument: .file,
      run: { _, path in
        guard !path.isEmpty else { throw Misuse(":run takes a file: :run NAME.scenario.lua") }
        return try runScenarios(path)
      }),
    PromptCommand(
      name: "load", usage: "FILE", summary: "plays a transcript, or a file of inputs",
      detail: "A transcript (:save FILE.jsonl) is played from the beginning and says where it comes "
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
      name: "set", usage: "[NAME VALUE]", summary: "how much is shown: depth, items, width, views, color",
      argument: .oneOf(["depth", "items", "width", "views", "color"]), run: { try $0.set($1) }),
  ]

  static func runScenarios(_ path: String) throws -> String {
    let report = TextReport()
    var lines: [String] = []
    let summary = Runner().run(Selection([path])) { lines.append(report.text(for: $0)) }
    if !summary.isEmpty { lines.append(report.text(for: summary)) }
    let text = lines.joined(separator: "\n")
    if summary.notWell > 0 || summary.isEmpty { throw Misuse(text) }
    return text
  }
}

extension Session {
  // MARK: Saving

  func save(_ path: String) throws -> String {
    guard !path.isEmpty else {
      throw Misuse(":save takes a file: NAME.scenario.lua, NAME.jsonl" + (text.isTyped ? ", NAME.lua" : ""))
    }
    if path.hasSuffix(".scenario.lua") { return try saveScenario(path) }
    if path.hasSuffix(".jsonl") {
      try write(transcript.text, to: path)
      return "saved the transcript; :load \(path) plays it"
    }
    guard path.hasSuffix(".lua") else {
      throw Misuse("\(path) is none of NAME.scenario.lua, NAME.jsonl and NAME.lua")
    }
    return try saveFlow(path)
  }

  /// What came from outside in this session.
  private var transcript: Transcript {
    Transcript(
      flow: engine.flow.file, hash: engine.flow.hash, seed: 0,
      entries: played.lasting(until: revision).flatMap { entry -> [Transcript.Entry] in
        switch entry.step {
        case .dispatch(let action, let payload, let outcome, let followed):
          [
            .dispatch(
              action: action, payload: payload, outcome: outcome.transcribed,
              revision: entry.after - followed.count), .settle,
          ]
        case .advance(let seconds, _): [.advance(seconds)]
        case .stub: []
        }
      })
  }

  private func saveScenario(_ path: String) throws -> String {
    guard let file = text.file else {
      throw Misuse("the flow that was typed has no file yet: :save NAME.lua first")
    }
    var note = ""
    if !played.leads(to: revision) {
      note = "\n#\(revision) lies within what one action led to: the scenario ends before it"
    }
    let writer = ScenarioWriter(engine: engine, steps: played.lasting(until: revision))
    let flow = ScenarioWriter.path(of: file, from: URL(filePath: path))
    try write(try writer.text(flow: flow), to: path)
    return "saved \(path)\(note)\n" + (try PromptCommand.runScenarios(path))
  }

  private func saveFlow(_ path: String) throws -> String {
    guard text.isTyped else {
      throw Misuse("the flow has its file, \(text.displayName); only one that was typed is saved")
    }
    guard !text.pieces.isEmpty else { throw Misuse("nothing has been declared yet") }
    if TextFile.kind(of: path) != nil { throw Misuse("\(path) is there already") }
    try write(text.typedText, to: path)
    text = FlowText(file: URL(filePath: path), displayName: path)
    name = Session.shortName(path)
    return try "saved \(path); " + reload(.keep)
  }

  private func write(_ text: String, to path: String) throws {
    do {
      try Data(text.utf8).write(to: URL(filePath: path))
    } catch {
      throw Misuse("\(path) cannot be written")
    }
  }

  // MARK: Loading

  func load(_ path: String) throws -> String {
    guard !path.isEmpty else { throw Misuse(":load takes a file") }
    let read: String
    do {
      read = try TextFile.read(URL(filePath: path), name: path)
    } catch {
      throw Misuse("\(error)")
    }
    guard read.hasPrefix("{\"") else { return try play(inputs: read, of: path) }
    let transcript: Transcript
    do {
      transcript = try Transcript(text: read)
    } catch {
      throw Misuse("\(path): \(error)")
    }
    let difference = try play(transcript)
    return "played \(path) from the beginning"
      + (difference.map { "; the first difference: \($0)" } ?? ", all of it as it was")
  }

  private func play(_ transcript: Transcript) throws -> String? {
    try replace(by: makeEngine(text))
    played = PlayedSteps()
    var difference: String?
    for (index, entry) in transcript.entries.enumerated() {
      switch entry {
      case .advance(let seconds): advance(seconds)
      case .settle: break  // every dispatch of a session settles
      case .dispatch(let action, let payload, let then, _):
        try? dispatch([.string(action), payload])
        guard difference == nil, let now = played.lastOutcome?.transcribed, now != then else {
          continue
        }
        difference = "line \(index + 2), \(action) came to \"\(then)\" then, and to \"\(now)\" now"
      }
    }
    return difference
  }

  /// Evaluates a file as if it were typed; the first error ends it.
  private func play(inputs: String, of path: String) throws -> String {
    var pending = ""
    var begun = 0
    for (index, line) in inputs.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .enumerated()
    {
      if pending.isEmpty { begun = index + 1 }
      pending += pending.isEmpty ? String(line) : "\n" + line
      if pending.trimmed.isEmpty || !isComplete(pending) { continue }
      switch evaluate(pending) {
      case .incomplete: continue
      case .value(let value): if !value.isEmpty { output(value) }
      case .error(let message): throw Misuse("\(path):\(begun): \(message)")
      case .leave: return "played \(path)"
      }
      pending = ""
    }
    if !pending.trimmed.isEmpty {
      throw Misuse("\(path):\(begun): the file ends in the middle of: \(pending)")
    }
    return "played \(path)"
  }

  // MARK: Stubs, settings

  fileprivate func stub(_ text: String) throws -> String {
    if text.isEmpty {
      if stubs.isEmpty { return "nothing is answered for; :stub root.NAME VALUE does" }
      return stubs.map { "\($0.name) = \($0.source)" }.joined(separator: "\n")
    }
    let name = String(text.prefix { !$0.isWhitespace })
    let source = text.dropFirst(name.count).trimmed
    guard let match = name.wholeMatch(of: /(\w+)\.(\w+)/), !source.isEmpty else {
      throw Misuse(":stub takes a capability and a value: :stub root.fetch \"text\"")
    }
    guard engine.scopeNames.contains(String(match.1)) else {
      throw Misuse(
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
    guard words.count == 2 else { throw Misuse(":set takes a name and a value: :set depth 3") }
    switch (words[0], words[1]) {
    case ("views", "on"), ("views", "off"):
      settings.showsViews = words[1] == "on"
      engine.unfollowViews()
      if settings.showsViews { engine.followViews() }
    case ("color", "on"), ("color", "off"): style = Style(isColored: words[1] == "on")
    case ("depth", _), ("items", _), ("width", _):
      guard let number = Int(words[1]), (1...100_000).contains(number) else {
        throw Misuse("\(words[0]) takes a number from 1 on, not \"\(words[1])\"")
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
      throw Misuse("\(words[0]) is on or off, not \"\(value)\"")
    default:
      throw Misuse(
        "there is nothing to set that is called \(words[0]) (there are depth, items, width, views, "
          + "color)")
    }
    return ""
  }
}
