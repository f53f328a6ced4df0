import FlowKernel
import FlowLanguage
import LuaRuntime

/// What was played in a session, step by step, for scenarios.
///
/// Steps that were undone stand aside until they are redone or something else is played.
package struct PlayedSteps {
  package enum Step {
    /// An action was offered; `followed` are the transitions that its effects led to.
    case dispatch(action: String, payload: Value, outcome: Outcome, followed: [Commit])
    case advance(microseconds: Int, followed: [Commit])
    /// A capability was given an answer: the source of a Lua expression.
    case stub(name: String, source: String)
  }

  /// An effect by the name by which a scenario knows it.
  package struct EffectFault {
    package let effect: String
    package let message: String

    /// Nil for an effect without `on_error`: that it has failed fails a scenario.
    package init?(_ title: String, _ error: ScriptError, in flow: Flow) {
      // An effect of a record's state is named after the record.
      let effect = (flow.effects + flow.stateEffects).first {
        $0.title == title || title.hasPrefix($0.title + " ")
      }
      guard let effect, effect.onError != nil else { return nil }
      (self.effect, message) = (Engine.heldName(of: effect), error.message)
    }
  }

  package struct Entry {
    package var step: Step
    /// When it began, in microseconds since the beginning.
    package let start: Int
    /// The revision within what the step led to that was gone back to, if one was: no input from outside
    /// leads there.
    package var cut: Int?
    /// Effects that ended by a fault which their `on_error` does not hear of, and the messages.
    package let faults: [EffectFault]

    package init(_ step: Step, at start: Int, faults: [EffectFault] = []) {
      (self.step, self.start, self.faults) = (step, start, faults)
    }

    /// The transitions that it made, in order.
    package var commits: [Commit] {
      switch step {
      case .dispatch(_, _, .passed(let commit), let followed): [commit] + followed
      case .dispatch(_, _, _, let followed), .advance(_, let followed): followed
      case .stub: []
      }
    }

    /// The bytes that its transitions take, about.
    fileprivate var size: Int { commits.reduce(0) { $0 + $1.size } }

    fileprivate var isStub: Bool {
      if case .stub = step { true } else { false }
    }

    /// The step up to a revision that it led to, whose time is such.
    fileprivate func cut(at target: Int, _ time: Int) -> Entry {
      var entry = self
      let later = commits.filter { $0.revision > target }
      if case .advance(_, let followed) = step {
        entry.step = .advance(
          microseconds: time - start, followed: followed.filter { $0.revision <= target })
        // Time passes up to and including all that is due then.
        if later.contains(where: { $0.microseconds == time }) { entry.cut = target }
      } else if !later.isEmpty {
        entry.cut = target
      }
      return entry
    }
  }

  /// The steps that led to where the session is.
  package private(set) var entries: [Entry] = []
  /// These and those that can be redone, in order.
  private var all: [Entry] = []
  /// The bytes of transitions that are kept at most, and those of all steps.
  private let most: Int
  private var bytes = 0
  /// True once the transitions took more than is kept of them: then no step is there any more.
  package private(set) var isCutOff = false
  /// The outcome of the dispatch that was added last.
  package private(set) var lastOutcome: Outcome?

  /// Keeps steps whose transitions take so many bytes at most, about.
  package init(most: Int = Limits().retained) { self.most = most }

  /// Adds a step; those that were undone before it are no part of what was played.
  package mutating func add(_ entry: Entry) {
    if case .dispatch(_, _, let outcome, _) = entry.step { lastOutcome = outcome }
    guard !isCutOff else { return }
    if all.count > entries.count { bytes = entries.reduce(0) { $0 + $1.size } }
    entries.append(entry)
    all = entries
    bytes += entry.size
    if bytes > most { cutOff() }
  }

  /// Keeps nothing any more.
  package mutating func cutOff() {
    isCutOff = true
    entries = []
    all = []
  }

  /// Goes back or forth to a revision of this time.
  ///
  /// What came after it and made no transition is undone with it: time that passed, refusals.
  package mutating func go(to target: Int, at time: Int) {
    guard !isCutOff else { return }
    let last = all.lastIndex { entry in
      entry.commits.contains { $0.revision == target }
    }
    entries = all[..<(last ?? 0)] + (last.map { [all[$0].cut(at: target, time)] } ?? [])
    entries += all[((last ?? -1) + 1)...].filter(\.isStub)
  }
}

/// The transitions of one input, as many as a session keeps.
package struct RecentTransitions {
  /// The transitions that were made, in order; none once they took too much.
  package private(set) var commits: [Commit] = []
  /// How many were made.
  package private(set) var count = 0
  package private(set) var isCutOff = false
  private let most: Int
  private var bytes = 0

  /// Keeps as many as take so many bytes at most, about.
  package init(most: Int = Limits().retained) { self.most = most }

  package mutating func add(_ commit: Commit) {
    count += 1
    bytes += commit.size
    isCutOff = isCutOff || bytes > most
    if isCutOff { commits = [] } else { commits.append(commit) }
  }

  /// The transitions after the first so many; none where they are not all there.
  package func dropFirst(_ first: Int) -> [Commit] { Array(commits.dropFirst(first)) }
}
