import Dispatch
import FlowKernel
import Platform

/// The open tasks of one case that this process performs itself, for the exclusive user of an engine.
///
/// The user says which tasks are open, and takes the outcomes. Each task is performed once, for as long as it is open.
package final class LivePerformances: Sendable {
  /// A task with the outcome of its performance.
  package struct Ended: Sendable {
    package let task: OpenTask
    package let outcome: PerformedOutcome
  }

  private struct State {
    /// The tasks that are performed now.
    var running: [OpenTask.Key: Running] = [:]
    /// The number of tasks that have begun.
    var lastNumber = 0
    /// The open tasks that were performed.
    var performed: Set<OpenTask.Key> = []
    /// The outcomes that nobody has taken, in the order in which they came.
    var ended: [Ended] = []

    /// True if a task is performed for which a wait is.
    var isAwaited: Bool { running.values.contains(where: \.isAwaited) }

    /// Returns the number of tasks of a capability that are performed now.
    func count(of capability: String) -> Int {
      running.values.count { $0.capability == capability }
    }
  }

  private struct Running {
    /// Tells it from an earlier performance of the same task, which was cancelled and has not ended yet.
    let number: Int
    let capability: String
    let work: Task<Void, Never>
    /// False if the user has ended the wait for it.
    var isAwaited = true
  }

  private let capabilities: [String: TaskCapability]
  private let caseID: String
  private let state = Mutex(State())
  /// Signalled for each outcome.
  private let arrivals = DispatchSemaphore(value: 0)

  /// - Parameters:
  ///   - capabilities: the capabilities by name with scope; those without a performer are performed by others.
  ///   - caseID: the id of the case.
  package init(_ capabilities: [String: TaskCapability], of caseID: String) {
    self.capabilities = capabilities.filter { $0.value.performer != nil }
    self.caseID = caseID
  }

  /// True if a task is performed now.
  package var isBusy: Bool { state.withLock { !$0.running.isEmpty } }

  /// Begins the tasks that are open and were not performed yet, as far as their capabilities allow it at once, and
  /// cancels those that are open no more.
  ///
  /// - Parameter attempt: the number of this attempt: 2 if an earlier process may have begun one.
  package func follow(_ open: [OpenTask], attempt: Int = 1) {
    if capabilities.isEmpty { return }
    let keys = Set(open.map(\.key))
    let cancelled = state.withLock { state -> [Task<Void, Never>] in
      let gone = state.running.filter { !keys.contains($0.key) }
      for key in gone.keys { state.running[key] = nil }
      state.performed.formIntersection(keys)
      state.ended.removeAll { !keys.contains($0.task.key) }
      for task in open where state.running[task.key] == nil {
        if !state.performed.contains(task.key) { start(task, attempt, &state) }
      }
      return gone.values.map(\.work)
    }
    // Outside of the lock: this runs the handlers of the performers.
    for work in cancelled { work.cancel() }
  }

  private func start(_ task: OpenTask, _ attempt: Int, _ state: inout State) {
    guard let performer = capabilities[task.capability]?.performer,
      state.count(of: task.capability) < performer.atOnce
    else { return }
    let performed = PerformedTask(task, of: caseID, attempt: attempt)
    state.lastNumber += 1
    let number = state.lastNumber
    let work = Task.detached { [self] in finish(task, number, await performer.perform(performed)) }
    state.running[task.key] = Running(number: number, capability: task.capability, work: work)
  }

  private func finish(_ task: OpenTask, _ number: Int, _ outcome: PerformedOutcome) {
    let isOpen = state.withLock { state in
      guard state.running[task.key]?.number == number else { return false }
      state.running[task.key] = nil
      state.performed.insert(task.key)
      state.ended.append(Ended(task: task, outcome: outcome))
      return true
    }
    if isOpen { arrivals.signal() }
  }

  /// Lets later waits return while the tasks that are performed now still run; their outcomes come all the same.
  package func endWait() {
    state.withLock { state in
      for key in state.running.keys { state.running[key]?.isAwaited = false }
    }
  }

  /// Blocks the thread until a task has an outcome, none is performed but those that an ended wait has left, or
  /// `isStopped` returns true.
  ///
  /// Do not call it on a thread of Swift's cooperative pool.
  package func wait(unless isStopped: () -> Bool = { false }) {
    while !isStopped(), state.withLock({ $0.ended.isEmpty && $0.isAwaited }) {
      _ = arrivals.wait(timeout: .now() + .milliseconds(100))
    }
  }

  /// Removes and returns the outcomes that have come.
  package func removeEnded() -> [Ended] {
    state.withLock { state in
      defer { state.ended = [] }
      return state.ended
    }
  }
}
