import FlowKernel
import FlowLanguage
import LuaRuntime

/// The steps of an interactive session, for scenarios.
///
/// Undone steps are kept until they are redone or another step is added.
package struct PlayedSteps {
  package enum Step {
    /// A dispatch of an action; `followed` are the commits that its effects led to.
    case dispatch(action: String, payload: Value, outcome: Outcome, followed: [Commit])
    case advance(microseconds: Int, followed: [Commit])
    /// A capability was given an answer: the source of a Lua expression.
    case stub(name: String, source: String)
    /// A part of the initial situation was set.
    case given(Transcript.Given)
  }

  /// A failed effect, by its name in scenarios.
  package struct EffectFault {
    package let effect: String
    package let message: String

    /// Nil for an effect without `on_error`, whose failure fails a scenario.
    package init?(_ title: String, _ error: ScriptError, in flow: Flow) {
      // The name of a record's state effect ends with the record.
      let effect = (flow.effects + flow.stateEffects).first {
        $0.title == title || title.hasPrefix($0.title + " ")
      }
      guard let effect, effect.onError != nil else { return nil }
      (self.effect, message) = (effect.heldName, error.message)
    }
  }

  package struct Entry {
    package var step: Step
    /// The time at which it began, in microseconds since the beginning.
    package let start: Int
    /// The revision inside the step to which the session was rolled back, if it was.
    ///
    /// No input from outside leads to such a revision.
    package var cut: Int?
    /// The effects that failed in a way that their `on_error` does not receive, and the messages.
    package let faults: [EffectFault]

    package init(_ step: Step, at start: Int, faults: [EffectFault] = []) {
      (self.step, self.start, self.faults) = (step, start, faults)
    }

    /// The commits that it made, in order.
    package var commits: [Commit] {
      switch step {
      case .dispatch(_, _, .passed(let commit), let followed): [commit] + followed
      case .dispatch(_, _, _, let followed), .advance(_, let followed): followed
      case .stub, .given: []
      }
    }

    /// The approximate size of its commits in bytes.
    fileprivate var size: Int { commits.reduce(0) { $0 + $1.size } }

    /// True if the step only prepares what follows: undo does not take it back.
    package var isPreparation: Bool {
      switch step {
      case .stub, .given: true
      case .dispatch, .advance: false
      }
    }

    /// Returns the step up to a revision inside it, whose time is given.
    fileprivate func cut(at target: Int, _ time: Int) -> Entry {
      var entry = self
      let later = commits.filter { $0.revision > target }
      if case .advance(_, let followed) = step {
        entry.step = .advance(
          microseconds: time - start, followed: followed.filter { $0.revision <= target })
        // Advancing time includes everything due at that time.
        if later.contains(where: { $0.microseconds == time }) { entry.cut = target }
      } else if !later.isEmpty {
        entry.cut = target
      }
      return entry
    }
  }

  /// The steps that led to the present state of the session.
  package private(set) var entries: [Entry] = []
  /// These steps and those that can be redone, in order; nil if none was undone since the latest was added.
  private var all: [Entry]?
  /// The largest size of the kept commits in bytes; `bytes` is the present size.
  private let most: Int
  private var bytes = 0
  /// True once the commits exceeded the limit; then no steps are kept.
  package private(set) var isCutOff = false
  /// The outcome of the latest dispatch.
  package private(set) var lastOutcome: Outcome?

  /// Makes an empty list that keeps commits of approximately `most` bytes.
  package init(most: Int = Limits().retained) { self.most = most }

  /// Adds a step, and discards the undone ones.
  package mutating func add(_ entry: Entry) {
    if case .dispatch(_, _, let outcome, _) = entry.step { lastOutcome = outcome }
    guard !isCutOff else { return }
    if all != nil { bytes = entries.reduce(0) { $0 + $1.size } }
    all = nil
    entries.append(entry)
    bytes += entry.size
    if bytes > most { cutOff() }
  }

  /// Discards all steps, and keeps none from now on.
  package mutating func cutOff() {
    isCutOff = true
    entries = []
    all = nil
  }

  /// Moves to a revision, back or forth, whose time is given.
  ///
  /// Later steps without a commit (advanced time, refusals) are undone with it.
  package mutating func go(to target: Int, at time: Int) {
    guard !isCutOff else { return }
    let all = all ?? entries
    self.all = all
    let last = all.lastIndex { entry in
      entry.commits.contains { $0.revision == target }
    }
    entries = all[..<(last ?? 0)] + (last.map { [all[$0].cut(at: target, time)] } ?? [])
    entries += all[((last ?? -1) + 1)...].filter(\.isPreparation)
  }
}

/// The commits of one input, as far as a session keeps them.
package struct RecentTransitions {
  /// The commits in order; none once they exceeded the limit.
  package private(set) var commits: [Commit] = []
  /// The number of commits that were made.
  package private(set) var count = 0
  package private(set) var isCutOff = false
  private let most: Int
  private var bytes = 0

  /// Makes an empty list that keeps commits of approximately `most` bytes.
  package init(most: Int = Limits().retained) { self.most = most }

  package mutating func add(_ commit: Commit) {
    count += 1
    bytes += commit.size
    isCutOff = isCutOff || bytes > most
    if isCutOff { commits = [] } else { commits.append(commit) }
  }

  /// Returns the commits after the first `first`; none if they were discarded.
  package func dropFirst(_ first: Int) -> [Commit] { Array(commits.dropFirst(first)) }
}
