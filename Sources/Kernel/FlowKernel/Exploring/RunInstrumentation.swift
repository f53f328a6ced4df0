import FlowLanguage
import LuaRuntime
import StateBlocks
import StateCharts

/// The notes of an engine about a run while a flow is explored, and the draws of chance that it lends to that
/// run.
final class RunInstrumentation {
  /// Whether what an effect ended with was refused.
  var hasRefusedEnd = false
  /// What was looked at besides the tree, and what chance gave.
  package private(set) var notes: [ExploredRun.Note] = []
  private var parts: Set<CanonicalState.Part> = []
  /// What chance is to give, the first draw first; what is drawn behind them is the first outcome.
  package var draws: [Int] = []
  /// How many outcomes each draw had.
  package var outcomes: [Int] = []
  /// What there is to say of the run that no outcome says.
  package var problem: ExploredProblem?
  /// The actions that have passed from the queue, in all runs.
  var passedFromQueue: Set<String> = []
  /// The states of machines that were entered or left, in all runs, by machine.
  private(set) var visited: [Int: Set<ChartInterpreter.StateNumber>] = [:]
  /// Whether it is to be noted where gates have let an action pass, and where that was.
  var divides = false
  package private(set) var admission: ExploredRun.Admission?
  /// What went wrong in what the queue ran.
  package var failure: DispatchFailure?
  /// What actions came to in the last run, in order; nil where nobody wants to hear.
  package var steps: [ExploredStep]?

  /// Effects, by their titles, that nothing follows on: which of them are under way is no part of a state.
  package let silent: Set<String>
  /// The timers that have parts of their own.
  package let timers: StateTimerTable
  /// True if somebody asks what a run has read.
  private let recordsReads: Bool

  private unowned let vm: LuaVM

  package init(_ vm: LuaVM, recordsReads: Bool, silent: Set<String>, timers: StateTimerTable) {
    (self.vm, self.silent, self.timers) = (vm, silent, timers)
    self.recordsReads = recordsReads
  }

  package func begin(draws: [Int]) {
    (notes, parts) = ([], [])
    outcomes = []
    (problem, failure, admission) = (nil, nil, nil)
    hasRefusedEnd = false
    if steps != nil { steps = [] }
    self.draws = draws
  }

  /// Which of so many outcomes comes; `value` is what that is.
  package func draw(among count: Int, _ value: (Int) -> Value) -> Value {
    let number = outcomes.count
    outcomes.append(count)
    let outcome = number < draws.count ? draws[number] : 0
    notes.append(
      .init(offset: vm.traceOffset, what: .draw(among: count, gave: outcome, value(outcome))))
    return value(outcome)
  }

  func recordVisit(_ move: Microstep) {
    visited[move.machine.index, default: []].formUnion(move.entered)
  }

  /// The same of steps that were taken before the first run.
  func recordVisits(_ steps: [MicrostepRecord]) {
    for step in steps { visited[step.machine, default: []].formUnion(step.left + step.entered) }
  }

  package func recordRead(of part: CanonicalState.Part) {
    guard recordsReads, parts.insert(part).inserted else { return }
    notes.append(.init(offset: vm.traceOffset, what: .part(part)))
  }

  /// Records that all pending timers were read.
  func recordReadOfTimers() { recordReads(of: timers.parts) }

  /// Records that the timers of an owner are stopped: those of a state may have parts of their own.
  func recordStop(ownedBy owner: PendingTimer.Owner) {
    if case .state(let state) = owner {
      recordReads(of: timers.parts(stopping: state))
    } else {
      recordReads(of: [.timers])
    }
  }

  /// Records that a timer of a state is set.
  func recordStart(of delay: StateDelay) { recordReads(of: timers.parts(setting: delay)) }

  private func recordReads(of parts: [CanonicalState.Part]) {
    if recordsReads { for part in parts { recordRead(of: part) } }
  }

  /// Gates have let an action pass: what follows is looked at as if nothing had been looked at before.
  func recordAdmission(_ plan: EnabledTransitions) {
    guard divides, admission == nil, let title = plan.title else { return }
    admission = ExploredRun.Admission(offset: vm.traceOffset, plan: title)
    parts = []
    vm.resetReaders()
  }

  package func note(_ problem: ExploredProblem) {
    if self.problem == nil { self.problem = problem }
  }
}

/// Why a run cannot be explored.
package enum ExploredProblem: Hashable, Sendable {
  /// It asked what time it is, or since when something is held.
  case clock
  /// It drew a number that is none of few.
  case chance(String)
  /// A function changed a local of the flow's files.
  case local(String)
}
