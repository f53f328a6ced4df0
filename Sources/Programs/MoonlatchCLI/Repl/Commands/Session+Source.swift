import FlowLanguage

/// The command `:source`, which shows the source of a declaration.
extension Session {
  func source(of text: String) throws -> String {
    guard !text.isEmpty else { throw CommandError(":source takes a name: :source push") }
    // Names of events may have dots.
    let isEvent = engine.flow.action(named: text) != nil
    let (kind, name) = isEvent ? (nil, text) : Session.kindAndName(text)
    let found = places(of: name).filter { kind == nil || $0.kind == kind }
    guard !found.isEmpty else {
      throw CommandError(
        "nothing is declared as \(text)" + Names.suggestion(for: name, among: declaredNames))
    }
    return found.map { excerpt($0) }.joined(separator: "\n")
  }

  /// Splits `gate.push` into a kind and a name; `push` is a name alone.
  private static func kindAndName(_ text: String) -> (String?, String) {
    if let quoted = ActionText.unquoted(text) { return (nil, quoted.text) }
    guard let match = text.firstMatch(of: /^([a-z]+)(?:\.(\w+)|\["([^"]*)"\])$/) else {
      return (nil, text)
    }
    return (String(match.1), String(match.2 ?? match.3 ?? ""))
  }

  private struct Declared {
    let kind: String
    let place: SourcePlace
    /// The last line; nil if only the first line is known.
    let lastLine: Int?

    init(_ kind: String, _ place: SourcePlace, _ lastLine: Int? = nil) {
      self.kind = kind
      self.place = place
      self.lastLine = lastLine
    }

    init(_ kind: String, _ function: FlowFunction) {
      self.init(kind, function.place, function.lastLine)
    }
  }

  private func places(of name: String) -> [Declared] {
    let flow = engine.flow
    var found: [Declared] = []
    if let action = flow.action(named: name) {
      found.append(Declared("action", action.place))
      found += action.rules.map { Declared("gate", $0.function) }
      found += action.reducer.map { [Declared("reduce", $0)] } ?? []
      found += action.effects.map { Declared("effect", flow.effects[$0].function) }
    } else {
      let rules = flow.actions.flatMap(\.rules).filter { $0.function.name == name }
      found += rules.prefix(1).map { Declared("gate", $0.function) }
      found += flow.effects.filter { $0.function.name == name }.map {
        Declared("effect", $0.function)
      }
    }
    found += flow.machines.filter { $0.name == name }.map { Declared("machine", $0.place) }
    found += flow.gatekeepers.filter { $0.name == name }.map { Declared("gatekeeper", $0.place) }
    found += flow.scopes.filter { $0.name == name && $0.place.line > 0 }
      .map { Declared("scope", $0.place) }
    found += flow.views.filter { $0.function.name == name }.map { Declared("view", $0.function) }
    found += flow.invariants.filter { $0.function.name == name }
      .map { Declared("invariant", $0.function) }
    return found
  }

  /// The names of all declarations.
  var declaredNames: [String] {
    let flow = engine.flow
    return Set(
      flow.actionNames + flow.views.map(\.function.name) + flow.machines.map(\.name)
        + flow.gatekeepers.map(\.name) + flow.scopes.map(\.name)
        + flow.invariants.map(\.function.name)
    ).sorted()
  }

  private func excerpt(_ declared: Declared) -> String {
    let lines = text.lines(of: declared.place.file)
    let first = declared.place.line
    guard lines.indices.contains(first - 1) else {
      return style.quiet("\(declared.place)") + ": the file has changed; :reload loads it"
    }
    let last = min(declared.lastLine ?? end(of: lines, from: first), lines.count)
    let numbered = (first...max(first, last)).map { number in
      style.quiet("\(number) | ") + lines[number - 1]
    }
    return ([style.quiet("\(declared.place)")] + numbered).joined(separator: "\n")
  }

  /// Returns the last line of a declaration that is a table: the first line that completes a chunk.
  private func end(of lines: [Substring], from first: Int) -> Int {
    var text = ""
    for number in first...min(lines.count, first + 300) {
      text += lines[number - 1] + "\n"
      let isWhole = try? ask("session_compiles", [.string(text)], budget: 10_000_000)
      if isWhole?.first == .boolean(true) { return number }
    }
    return first
  }
}
