import FlowLanguage
import Scenarios

extension Session {
  /// Runs scenario files, which can use the session's own flow wherever it lies.
  ///
  /// - Parameter looks: true to stop at the first failure, and to keep the last state for `:look`.
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

  func stub(_ text: String) throws -> String {
    if text.isEmpty {
      if stubs.isEmpty { return "there are no stubs; :stub root.NAME VALUE adds one" }
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
    return "\(name) is stubbed"
  }

  func set(_ text: String) throws -> String {
    let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
    if words.isEmpty {
      return settings.limits.map { "\($0.name) \($0.value)" }.joined(separator: "\n")
        + "\nviews \(settings.showsViews ? "on" : "off")\nwrites \(settings.showsWrites ? "on" : "off")"
        + "\ncolor \(style.isColored ? "on" : "off")"
    }
    guard words.count == 2 else {
      throw CommandError(":set takes a name and a value: :set depth 3")
    }
    switch (words[0], words[1]) {
    case ("views", "on"), ("views", "off"):
      settings.showsViews = words[1] == "on"
      engine.unfollowViews()
      viewValues = settings.showsViews ? engine.followViews() : [:]
    case ("writes", "on"), ("writes", "off"): settings.showsWrites = words[1] == "on"
    case ("color", "on"), ("color", "off"): style = Style(isColored: words[1] == "on")
    case ("depth", _), ("items", _), ("width", _):
      guard let number = Int(words[1]), (1...100_000).contains(number) else {
        throw CommandError("\(words[0]) takes a number of at least 1, not \"\(words[1])\"")
      }
      switch words[0] {
      case "depth": settings.depth = min(number, 90)
      case "items": settings.items = number
      default: settings.width = number
      }
      for (name, value) in settings.limits {
        try ask("session_limit", [.string(name), .integer(value)])
      }
    case ("views", let value), ("writes", let value), ("color", let value):
      throw CommandError("\(words[0]) is on or off, not \"\(value)\"")
    default:
      throw CommandError(
        "there is no setting \(words[0]) (there are depth, items, width, views, writes, "
          + "color)")
    }
    return ""
  }
}
