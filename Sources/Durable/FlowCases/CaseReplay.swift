import FlowHosting
import FlowKernel
import FlowLanguage

/// The life of a case, offered to another text of its flow: what came from outside, at its times.
///
/// Nothing that the flow calls answers: what followed on an answer is offered, too, when its turn comes. So what
/// differs is the text's own doing.
package final class CaseReplay {
  /// Where the text does something else.
  package struct Difference: Sendable, Hashable {
    /// The number of the entry.
    package let entry: Int
    /// A sentence: what was done then, and what is done now.
    package let description: String
  }

  private let engine: Engine
  /// Both texts: what is secret in either is shown of neither.
  private let flows: [Flow]
  /// What the text has done that was not looked at yet, in order.
  private var done: [Commit] = []
  private var last = 0

  /// Begins a case of a flow as it was born, or as it was later.
  ///
  /// - Parameters:
  ///   - first: the case's first entry, or a snapshot.
  ///   - then: the text of its flow that was at work.
  package init(
    _ flow: LoadedFlow, birth: JournalEntry.Birth, _ first: JournalEntry, of then: LoadedFlow
  ) throws {
    flows = [flow.flow, then.flow]
    func open(_ flow: LoadedFlow) throws -> Engine {
      try Engine(
        flow, limits: flow.limits, log: ScriptLog { _ in }, seed: birth.seed, birth: birth.time)
    }
    engine = try open(flow)
    let before = try open(then)
    if let image = try? CaseImage(image: first.body),
      try first.seq > 1 || image.tree != before.vm.stateBytes(after: [])
    {
      // It was born with what somebody gave, or goes on from what it was later.
      try before.take(image)
      before.caseState.dropUnfinished()
      try engine.adoptState(of: before)
    }
    engine.calls.recorded = .silent
    engine.vm.beginUntimed()  // as long as the engine lives
    engine.observers.commitHandler = { [unowned self] in done.append($0) }
    last = first.seq
  }

  /// Offers what an entry tells of; entries come in their order.
  ///
  /// - Returns: the first difference; then this is of no use any more.
  package func play(_ entry: JournalEntry) throws(JournalError) -> Difference? {
    defer { last = entry.seq }
    switch try entry.contents().kind {
    case .erased:
      throw JournalError(
        .unreadable, "entry \(entry.seq) was erased: nobody can tell what came then")
    case .image:
      // Another text changes no revision, going along the history does.
      if entry.revision != engine.revision { try? engine.go(to: entry.revision) }
      return nil
    case .turn: break
    }
    guard let turn = try? TurnFacts(entry: entry.body) else { return nil }
    for commit in turn.commits {
      if let difference = play(commit, isOwn: turn.isOfState(commit)) {
        return Difference(entry: entry.seq, description: difference)
      }
    }
    if let clock = turn.clock { pass(to: clock.now) }
    return nil
  }

  /// What the text has done beyond the last entry.
  package func end() -> Difference? {
    done.first.map {
      Difference(entry: last, description: "then: nothing more; now: \(text(of: $0))")
    }
  }

  private func pass(to time: Int) {
    if time > engine.time { engine.advance(microseconds: time - engine.time) }
  }

  /// - Parameter isOwn: whether a state's timer led to it, which is the text's own.
  private func play(_ then: Commit, isOwn: Bool) -> String? {
    if done.isEmpty { pass(to: then.microseconds) }
    if done.isEmpty, isOwn { return "then: \(text(of: then)); now: nothing is due" }
    if done.isEmpty {
      let outcome =
        then.cause == nil
        ? engine.dispatch(then.action, then.payload, by: then.dispatchedBy)
        : engine.dispatch(fromInside: then.action, then.payload)
      engine.settle()
      switch outcome {
      case .passed: break
      case .refused(let refusal): return "\(title(of: then)) passed then; now: \(refusal)"
      case .failed(let failure):
        return "\(title(of: then)) passed then; now: \(failure.summary)"
      }
    }
    guard let now = done.first else { return nil }
    done.removeFirst()
    if now.action == then.action && now.patch == then.patch { return nil }
    return "then: \(text(of: then)); now: \(text(of: now))"
  }

  private func title(of commit: Commit) -> String {
    var payload = commit.payload
    for flow in flows { payload = flow.shown(payload, of: commit.action) }
    return "#\(commit.revision) \(commit.action)"
      + (payload == [:] ? "" : " \(payload.text(limit: 200))")
  }

  private func text(of commit: Commit) -> String {
    var changes = commit.patch.changes
    for flow in flows { if let secrets = flow.secrets { changes = changes.map(secrets.hiding) } }
    let told = changes.prefix(10).map { "\($0)" } + (changes.count > 10 ? ["..."] : [])
    return title(of: commit)
      + (told.isEmpty ? ", which changes nothing" : " (\(told.joined(separator: ", ")))")
  }
}

extension TurnFacts {
  /// Whether a transition of the turn is that of a state's own timer.
  fileprivate func isOfState(_ commit: Commit) -> Bool {
    changes.contains { change in
      guard case .gone(let timer) = change, case .state = timer.owner else { return false }
      return timer.due == commit.microseconds && timer.action?.name == commit.action
        && timer.action?.cause.revision == commit.cause
    }
  }
}
