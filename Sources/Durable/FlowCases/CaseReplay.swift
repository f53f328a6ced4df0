import FlowHosting
import FlowKernel
import FlowLanguage

/// A replay of a case's log with another text of its flow: dispatches what came from outside, at its times.
///
/// Capabilities do not answer. Dispatches that followed their answers are dispatched, too, at their times, so
/// that all differences are due to the text.
package final class CaseReplay {
  /// A deviation of the text from the log.
  package struct Difference: Sendable, Hashable {
    /// The number of the entry in the log.
    package let entry: Int
    /// A sentence that describes what happened then, and what happens now.
    package let description: String
  }

  private let engine: Engine
  /// Both texts: secrets of either are hidden.
  private let flows: [Flow]
  /// The commits of the text that were not compared yet, in order.
  private var done: [Commit] = []
  private var last = 0

  /// Starts a case as it was created, or from a snapshot.
  ///
  /// - Parameters:
  ///   - first: the case's first entry, or a snapshot.
  ///   - then: the text of its flow at that time.
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
      // The case was born with a given state, or starts from a snapshot.
      try before.take(image)
      before.caseState.dropUnfinished()
      try engine.adoptState(of: before)
    }
    engine.calls.recorded = .silent
    engine.vm.beginUntimed()  // as long as the engine lives
    engine.observers.commitHandler = { [unowned self] in done.append($0) }
    last = first.seq
  }

  /// Dispatches the commits of an entry; entries must be given in order.
  ///
  /// - Returns: the first difference, after which the replay must not be used any more; nil if there is none.
  package func play(_ entry: JournalEntry) throws(JournalError) -> Difference? {
    defer { last = entry.seq }
    switch try entry.contents().kind {
    case .erased:
      throw JournalError(
        .unreadable, "entry \(entry.seq) was erased, so its inputs are unknown")
    case .image:
      // A reload does not change the revision; time travel does.
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

  /// Returns a difference if the text has made commits after the last entry.
  package func end() -> Difference? {
    done.first.map {
      Difference(entry: last, description: "then: nothing more; now: \(text(of: $0))")
    }
  }

  private func pass(to time: Int) {
    if time > engine.time { engine.advance(microseconds: time - engine.time) }
  }

  /// Dispatches a commit, and compares it with the text's.
  ///
  /// - Parameter isOwn: true if a timer of a state led to it, which the text sets itself.
  ///
  /// - Returns: the difference; nil if there is none.
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
    let isSame = now.writes == then.writes || now.changes == then.changes
    if now.action == then.action && isSame { return nil }
    return "then: \(text(of: then)); now: \(text(of: now))"
  }

  private func title(of commit: Commit) -> String {
    var payload = commit.payload
    for flow in flows { payload = flow.shown(payload, of: commit.action) }
    return "#\(commit.revision) \(commit.action)"
      + (payload == [:] ? "" : " \(payload.text(limit: 200))")
  }

  private func text(of commit: Commit) -> String {
    var changes = commit.changes.changes
    for flow in flows { if let secrets = flow.secrets { changes = changes.map(secrets.hiding) } }
    let told = changes.prefix(10).map { "\($0)" } + (changes.count > 10 ? ["..."] : [])
    return title(of: commit)
      + (told.isEmpty ? ", which changes nothing" : " (\(told.joined(separator: ", ")))")
  }
}

extension TurnFacts {
  /// True if a commit of the turn was dispatched by a timer of a state.
  fileprivate func isOfState(_ commit: Commit) -> Bool {
    changes.contains { change in
      guard case .gone(let timer) = change, case .state = timer.owner else { return false }
      return timer.due == commit.microseconds && timer.action?.name == commit.action
        && timer.action?.cause.revision == commit.cause
    }
  }
}
