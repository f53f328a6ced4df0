import FlowLanguage
import LuaRuntime
import StateBlocks
import StateCharts

/// The recorder of an engine's reads in a run of an exploration, which also supplies the random draws.
final class RunInstrumentation {
  /// True if the action of an effect's end was refused.
  var hasRefusedEnd = false
  /// The reads outside of the tree, and the random draws.
  package private(set) var notes: [ExploredRun.Note] = []
  private var parts: Set<CanonicalState.Part> = []
  /// The numbers of the outcomes of draws, in order; further draws get the first outcome.
  package var draws: [Int] = []
  /// The number of outcomes of each draw.
  package var outcomes: [Int] = []
  /// The reason why the run cannot be explored; nil if it can.
  package var problem: ExploredProblem?
  /// The actions that have passed from the queue, in all runs.
  var passedFromQueue: Set<String> = []
  /// The states of machines that were entered or left, in all runs, by machine.
  private(set) var visited: [Int: Set<ChartInterpreter.StateNumber>] = [:]
  /// True if the point is recorded at which gates let an action pass; `admission` is that point.
  var divides = false
  package private(set) var admission: ExploredRun.Admission?
  /// The first failure of an action or effect from the queue.
  package var failure: DispatchFailure?
  /// The outcomes of the actions of the last run, in order; nil if they are not recorded.
  package var steps: [ExploredStep]?

  /// The titles of effects that no action follows; whether they are under way is not part of a state.
  package let silent: Set<String>
  /// The timers that have parts of their own.
  package let timers: StateTimerTable
  /// True if reads are recorded.
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

  /// Returns the outcome of a draw among `count` outcomes; `value` returns the value of an outcome.
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

  /// Records the states of microsteps that were taken before the first run.
  func recordVisits(_ steps: [MicrostepRecord]) {
    for step in steps { visited[step.machine, default: []].formUnion(step.left + step.entered) }
  }

  package func recordRead(of part: CanonicalState.Part) {
    guard recordsReads, parts.insert(part).inserted else { return }
    notes.append(.init(offset: vm.traceOffset, what: .part(part)))
  }

  /// Records that all pending timers were read.
  func recordReadOfTimers() { recordReads(of: timers.parts) }

  /// Records that the timers of an owner are stopped; timers of a state may have parts of their own.
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

  /// Records that gates have let an action pass, and starts to record reads anew.
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

/// A reason why a run cannot be explored.
package enum ExploredProblem: Hashable, Sendable {
  /// It read the time, or the time since which something is held.
  case clock
  /// It drew a number with too many outcomes.
  case chance(String)
  /// A function changed a local of the flow's files.
  case local(String)
}
