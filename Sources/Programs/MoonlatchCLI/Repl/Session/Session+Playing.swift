import FlowKernel
import FlowLanguage
import FlowTools
import LuaRuntime
import Scenarios

/// Dispatching and reporting what a dispatch leads to.
extension Session {
  /// Dispatches an action, runs what its effects dispatch, and reports the results.
  ///
  /// A failure is an error of the input.
  func dispatch(_ arguments: [Value]) throws {
    let action = arguments.first?.stringValue ?? ""
    let payload = arguments.count > 1 ? arguments[1] : [:]
    try engine.requireMaps(at: engine.vm.unnamedMaps, inPayloadOf: action)
    letTimePass()
    try turn { try play(action, payload, arguments) }
  }

  private func play(_ action: String, _ payload: Value, _ arguments: [Value]) throws {
    let start = engine.time
    let first = news.count
    let isInside = arguments.count > 2 && arguments[2] == true
    let outcome =
      isInside ? engine.dispatch(fromInside: action, payload) : engine.dispatch(action, payload)
    let passed = news.count
    cover(outcome)
    switch outcome {
    case .passed: break
    case .refused(let refusal): told.add([text(of: refusal)])
    case .failed: break
    }
    engine.settle()
    let step = PlayedSteps.Step.dispatch(
      action: action, payload: payload, outcome: outcome, followed: news.dropFirst(passed))
    record(step, at: start)
    if news.count > first { tellWhatIsToCome() }
    if case .failed(let failure) = outcome { throw CommandError(text(of: failure)) }
  }

  /// Returns a sentence with what refused, why, and where it is declared.
  func text(of refusal: Refusal) -> String {
    let sentence =
      refusal.reason == nil ? "\(refusal)" : "\(refusal)  \(style.quiet("[\(refusal.place)]"))"
    guard style.isColored else { return sentence }
    return style.warning("refused") + sentence.trimmingPrefix("refused")
  }

  private func text(of failure: DispatchFailure) -> String {
    var text = failure.description
    if let patch = settings.showsWrites ? failure.writes : failure.changes {
      text += "\n    rolled back:"
      let changes = patch.changes
      for line in changes.prefix(settings.items).map(\.description) + rest(of: changes.count) {
        text += "\n      \(line)"
      }
    }
    return text
  }

  /// Returns what is shown of a commit: the net changes, or each write (`:set writes on`).
  func patch(of commit: Commit) -> [Patch.Change] {
    (settings.showsWrites ? commit.writes : commit.changes).changes
  }

  /// Adds an outcome to what the session has covered.
  private func cover(_ outcome: Outcome) {
    coverage?.note(outcome, decisions: engine.decisions(on: outcome))
  }

  // MARK: Transitions

  /// Reports a commit: its changes, those of gatekeepers and scopes, the changed views, and the effects that started.
  func tell(_ commit: Commit) {
    news.add(commit)
    cover(.passed(commit))
    coverage?.note(engine.latestSteps)
    let cause = commit.cause.map { style.quiet(" (by #\($0))") } ?? ""
    let now = GatekeepersAndScopes(engine)
    let starting = (commit.isPostponed ? [] : engine.effectTitles(of: commit.action)).map {
      style.quiet("  \($0) starts")
    }
    let heading =
      style.heading("#\(commit.revision) \(commit.action)")
      + (commit.isPostponed ? " is postponed" : "") + cause
    let eventless = engine.flow.eventless(in: engine.latestSteps)
    let patch = patch(of: commit)
    let changes = zip(patch, patch.made(by: eventless)).prefix(settings.items).map {
      change, round in
      text(of: change) + (round.map { style.quiet("  by \($0)") } ?? "")
    }
    let more = changes + rest(of: patch.count) + now.changes(since: beside) + viewChanges()
    beside = now
    told.add([heading] + more.map { "  " + $0 } + starting, isCommit: true)
  }

  /// Returns the line for the rest of a list that is cut as the tables of the state are; nothing for a short list.
  func rest(of count: Int) -> [String] {
    count > settings.items ? ["... and \(count - settings.items) more"] : []
  }

  /// Returns the views whose values have changed since the last call, a line for each change.
  func viewChanges() -> [String] {
    engine.takeViewChanges().flatMap { view, value in
      switch value {
      case .success(let value):
        let old = viewValues.updateValue(value, forKey: view) ?? .nil
        return difference(of: view, old, value)
      case .failure(let error):
        viewValues[view] = nil
        return ["view \(view) has no value: \(error)"]
      }
    }
  }

  /// Returns the differences of a view's value, by path.
  private func difference(of view: String, _ old: Value, _ new: Value) -> [String] {
    let places = ViewDifference.all(from: old, to: new, at: StatePath([.field(view)]))
    let more = places.count - ViewDifference.most
    return places.prefix(ViewDifference.most).map { place in
      switch (place.isElement, place.old, place.new) {
      case (true, .nil, let new):
        "view \(place.path): " + style.added("inserted \(new.text(limit: 200))")
      case (true, let old, .nil):
        "view \(place.path): " + style.removed("removed \(old.text(limit: 200))")
      default: "view \(place.path): " + step(place.old, place.new)
      }
    } + (more > 0 ? ["view \(view): ... and \(more) more"] : [])
  }

  /// Returns a value and its new value as text.
  func step(_ old: Value, _ new: Value) -> String {
    "\(style.removed(old.text(limit: 200))) -> \(style.added(new.text(limit: 200)))"
  }

  func text(of change: Patch.Change) -> String {
    let change = change.shown
    switch change.operation {
    case .set: return "\(change.path): " + step(change.old, change.new)
    case .insert: return style.added("\(change)")
    case .remove: return style.removed("\(change)")
    }
  }

  /// Reports pending work, so that the user knows what to wait for.
  func tellWhatIsToCome() {
    let pendingWork = engine.pendingWork
    var parts = pendingWork.filter { $0.kind == .effect }.map(\.description)
    parts += pendingWork.compactMap { item in
      item.postponedIn.map { "\(item.title) is postponed until \($0) is left" }
    }
    for timer in pendingWork where timer.kind == .timer {
      guard let due = timer.dueSeconds else { continue }
      parts.append("\(timer.title) is due in \(TimeLength.text(due - engine.seconds))")
    }
    if parts.count > 4 { parts = parts.prefix(4) + ["and \(parts.count - 4) more"] }
    if !parts.isEmpty {
      told.add([style.quiet("  pending: \(parts.joined(separator: "; "))")])
    }
  }

  /// Reports an error or a refusal outside of the dispatch itself.
  func hear(_ report: Report) {
    switch report {
    case .queuedRefused(let refusal, let spent):
      cover(.refused(refusal))
      told.add(["\(refusal.action) from the queue was " + text(of: refusal)])
      if let spent { told.add(["  \(spent)"]) }
    case .effect(let title, let error), .handled(let title, let error, _, isFault: true):
      complaints.add("\(title) did not finish: \(error.report)" + stubHint(for: error))
      if let fault = PlayedSteps.EffectFault(title, error, in: engine.flow) { faults.append(fault) }
    case .handled(let title, let error, _, _):
      let place = error.place.isEmpty ? "" : style.quiet("  [\(error.place)]")
      told.add(["  \(title) did not finish: \(error.message)\(place)" + stubHint(for: error)])
    case .local(let fault): told.add(["warning: \(fault)"])
    case .untaken where isInstalling: told.add(["warning: \(report)"])
    case .stopped, .dropped: told.add(["  \(report)"])
    default: complaints.add("\(report)")
    }
  }

  /// Returns the error for an effect that calls a missing capability, and records its name.
  func missing(_ message: String) -> CommandError {
    guard let match = message.firstMatch(of: /^scope (\w+) has no (\w+)/) else {
      return CommandError(message)
    }
    let name = "\(match.1).\(match.2)"
    if !unanswered.contains(name) { unanswered.append(name) }
    return CommandError(String(match.0))
  }

  /// Returns a hint to stub a missing capability; a prompt lends none of its own.
  private func stubHint(for error: ScriptError) -> String {
    // Thousands of effects may fail in a row, and each use would build the regular expression.
    guard error.message.contains(" has no "),
      let match = error.message.firstMatch(of: /scope (\w+) has no (\w+)/)
    else { return "" }
    return "\n    (\":stub \(match.1).\(match.2) VALUE\" stubs it)"
  }

  // MARK: Time

  /// With a real clock, runs what was due in the meantime.
  func letTimePass() {
    guard let elapsed = clock.elapsed else { return }
    pass { $0.catchUp(to: elapsed) }
  }

  /// Lets time pass as `body` does, which is one step of the session.
  func pass(_ body: (Engine) -> Void) {
    let start = engine.time
    let first = news.count
    do {
      try turn { body(engine) }
    } catch {
      return complaints.add("\(error)")
    }
    record(.advance(microseconds: engine.time - start, followed: news.dropFirst(first)), at: start)
  }

  private func record(_ step: PlayedSteps.Step, at start: Int) {
    played.add(.init(step, at: start, faults: faults))
    if news.isCutOff { played.cutOff() }
    faults = []
  }
}

/// The gatekeepers and scopes of a flow, to find what a commit changed in them.
struct GatekeepersAndScopes {
  private var gatekeepers: [String: [String]] = [:]
  private var scopes: [(name: String, isOpen: Bool, key: Value?)] = []

  init() {}

  init(_ engine: Engine) {
    for gatekeeper in engine.gatekeeperStatus {
      gatekeepers[gatekeeper.name] = gatekeeper.held.map { $0.option ?? "" }
    }
    scopes = engine.scopeStatus.map { ($0.name, $0.isOpen, $0.key) }
  }

  func changes(since old: GatekeepersAndScopes) -> [String] {
    var lines: [String] = []
    for name in gatekeepers.keys.sorted() where gatekeepers[name] != old.gatekeepers[name] {
      let held = gatekeepers[name] ?? []
      let what =
        held.isEmpty ? "free" : held == [""] ? "held" : "held: " + held.joined(separator: ", ")
      lines.append("gatekeeper \(name): \(what)")
    }
    for (index, scope) in scopes.enumerated() where old.scopes.indices.contains(index) {
      let before = old.scopes[index]
      if before.isOpen && !scope.isOpen { lines.append("scope \(scope.name): locked") }
      if scope.isOpen && (!before.isOpen || before.key != scope.key) {
        lines.append("scope \(scope.name): open, its key is \((scope.key ?? .nil).text(limit: 60))")
      }
    }
    return lines
  }
}
