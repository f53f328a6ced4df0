import FlowKernel
import LuaRuntime

/// Moving along the history, and letting time pass.
extension Session {
  func advance(_ seconds: Double) { advance(microseconds: EngineTime.microseconds(seconds)) }

  func advance(microseconds: Int) {
    pass { $0.advance(microseconds: microseconds) }
    clock.start(at: engine.time)
  }

  /// Moves to a revision and reports the changes.
  func go(to target: Int) throws {
    letTimePass()
    try turn { try reaching { try move(to: target) } }
  }

  /// Runs `body`; if the history does not reach back far enough and the case has a journal, the error mentions the
  /// journal.
  func reaching<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as HistoryError {
      guard let kept, halt == nil else { throw error }
      throw CommandError(
        "\(error); earlier commits are in the journal: \"moonlatch journal show\" with --case \(kept.id) lists "
          + "them, and :why #N shows the causes of one")
    }
  }

  private func move(to target: Int) throws {
    let start = revision
    try engine.go(to: target)
    played.go(to: target, at: engine.time)
    let views = viewChanges()
    let before = beside
    beside = GatekeepersAndScopes(engine)
    clock.start(at: engine.time)
    let isBack = target < start
    let between = isBack ? target + 1..<start + 1 : start + 1..<target + 1
    for at in isBack ? between.reversed() : Array(between) {
      guard let commit = engine.commit(at: at) else { continue }
      let changes = patch(of: commit)
      let shown =
        isBack
        ? changes.suffix(settings.items).reversed().map(\.reversed)
        : Array(changes.prefix(settings.items))
      let lines = shown.map { text(of: $0) } + rest(of: changes.count)
      let heading =
        style.heading("#\(at) \(commit.action)") + (isBack ? " is undone" : " again")
      let effects =
        isBack
        ? [] : engine.effectTitles(of: commit.action).map { "\($0) is not started again" }
      told.add(
        [heading] + lines.map { "  " + $0 } + effects.map { style.quiet("  \($0)") },
        isCommit: true)
    }
    for line in beside.changes(since: before) + views { told.add(["  " + line]) }
  }

  /// Returns the differences between the states of two revisions, a line each.
  func difference(from old: Int, to new: Int) throws -> [String] {
    difference(from: try engine.state(at: old), to: try engine.state(at: new))
  }

  /// Returns the differences between two states, a line each.
  func difference(from old: Value, to new: Value) -> [String] {
    let secrets = engine.flow.secrets
    let shown = { (value: Value, path: StatePath) in secrets?.hiding(value, at: path) ?? value }
    let leaves = old.leaves(changedTo: new)
    let lines = leaves.prefix(settings.items).map { change -> String in
      let path = secrets?.hiding(change.path) ?? change.path
      let (old, new) = (shown(change.old, change.path), shown(change.new, change.path))
      return "\(path.keys.isEmpty ? "the state" : "\(path)"): " + step(old, new)
    }
    return lines + rest(of: leaves.count)
  }

  /// Answers calls of a capability from now on.
  func stub(_ name: String, _ source: String) throws {
    try ask("session_stub", [.string(name), .string(source), .string(input)])
    stubs.removeAll { $0.name == name }
    stubs.append((name, source))
    engine.transcribe(.stub(capability: name, source: source))
    played.add(.init(.stub(name: name, source: source), at: engine.time))
  }
}

extension Session {
  static func count(_ text: String, for command: String) throws -> Int {
    if text.isEmpty { return 1 }
    guard let count = Int(text), (1...1_000_000_000).contains(count) else {
      throw CommandError(":\(command) takes a number of commits, not \"\(text)\"")
    }
    return count
  }

  static func revision(_ text: String, for usage: String) throws -> Int {
    guard let revision = Int(text.hasPrefix("#") ? String(text.dropFirst()) : text) else {
      throw CommandError(":\(usage) takes a revision, such as 3, not \"\(text)\"")
    }
    return revision
  }

  func history() -> String {
    let first = max(1, revision - 49)
    var lines: [String] = []
    var at = first
    while let commit = engine.commit(at: at), at < first + 100 {
      let cause = commit.cause.map { " (by #\($0))" } ?? ""
      let changes = patch(of: commit)
      let what = changes.prefix(3).map { "\($0)" } + (changes.count > 3 ? ["..."] : [])
      let line = "#\(at) \(commit.action)\(cause)  " + what.joined(separator: "; ")
      lines.append(at > revision ? style.quiet("\(line)  (undone)") : line.trimmingEnd)
      at += 1
    }
    if lines.isEmpty { return "no action has passed yet" }
    if first > 1 { lines.insert(style.quiet("(the latest 50)"), at: 0) }
    return lines.joined(separator: "\n")
  }

  func diff(_ text: String) throws -> String {
    let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
    guard words.count < 3 else { throw CommandError(":diff takes at most two revisions") }
    let from = try words.first.map { try Session.revision($0, for: "diff A B") } ?? revision - 1
    let to = try words.count == 2 ? Session.revision(words[1], for: "diff A B") : revision
    let lines = try reaching { try difference(from: max(0, from), to: to) }
    return lines.isEmpty
      ? "#\(max(0, from)) and #\(to) are the same" : lines.joined(separator: "\n")
  }
}
