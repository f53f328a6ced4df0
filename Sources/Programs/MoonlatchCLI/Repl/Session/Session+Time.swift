import FlowKernel
import LuaRuntime

/// Going back and forth, and letting time pass.
extension Session {
  func advance(_ seconds: Double) { advance(microseconds: EngineTime.microseconds(seconds)) }

  func advance(microseconds: Int) {
    pass { $0.advance(microseconds: microseconds) }
    clock.start(at: engine.time)
  }

  /// Goes to a revision and tells what that takes back or brings again.
  func go(to target: Int) throws {
    letTimePass()
    try turn { try reaching { try move(to: target) } }
  }

  /// Does something along the history; where that does not reach so far, and the case is kept, says where more is told.
  func reaching<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as HistoryError {
      guard let kept, halt == nil else { throw error }
      throw CommandError(
        "\(error); what was before this session is in the journal: \"moonlatch journal show\" with --case \(kept.id) "
          + "tells it, and :why #N how a transition came about")
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
      let changes = commit.patch.changes
      let shown = isBack ? changes.reversed().map(\.reversed) : changes
      let heading =
        style.heading("#\(at) \(commit.action)") + (isBack ? " is taken back" : " again")
      let effects =
        isBack
        ? [] : engine.effectTitles(of: commit.action).map { "\($0) is not started again" }
      told.add(
        [heading] + shown.map { "  " + text(of: $0) } + effects.map { style.quiet("  \($0)") },
        isCommit: true)
    }
    for line in beside.changes(since: before) + views { told.add(["  " + line]) }
  }

  /// What differs between the states of two revisions, a line each.
  func difference(from old: Int, to new: Int) throws -> [String] {
    let secrets = engine.flow.secrets
    let shown = { (value: Value, path: StatePath) in secrets?.hiding(value, at: path) ?? value }
    return try engine.state(at: old).leaves(changedTo: engine.state(at: new)).map {
      let path = secrets?.hiding($0.path) ?? $0.path
      let (old, new) = (shown($0.old, $0.path), shown($0.new, $0.path))
      return "\(path.keys.isEmpty ? "the state" : "\(path)"): " + step(old, new)
    }
  }

  /// Answers for a capability from now on.
  func stub(_ name: String, _ source: String) throws {
    try ask("session_stub", [.string(name), .string(source), .string(input)])
    stubs.removeAll { $0.name == name }
    stubs.append((name, source))
    engine.transcribe(.stub(capability: name, source: source))
    played.add(.init(.stub(name: name, source: source), at: engine.time))
  }
}
