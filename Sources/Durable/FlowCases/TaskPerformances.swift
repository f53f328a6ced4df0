import FlowHosting
import FlowKernel
import StateBlocks
import Platform

/// The tasks that this node performs itself, with the slots that they take.
///
/// A task has its slot before its lease, and until its outcome is stored: a node never holds the lease of a task that
/// it does not perform.
final class TaskPerformances: Sendable {
  /// A task that is performed now, or will be once its entry is stored.
  struct Performance: Sendable {
    fileprivate(set) var task: PerformedTask
    /// The capability that lends the slot.
    let capability: String
    let performer: LocalPerformer
    /// The token of the latest lease.
    var token: String
    fileprivate var work: Task<Void, Never>?
    fileprivate var isCancelled = false

    init(
      _ task: PerformedTask, by performer: LocalPerformer, of capability: String, token: String
    ) {
      (self.task, self.performer, self.capability) = (task, performer, capability)
      self.token = token
    }

    var key: OpenTask.Key { task.task.key }
  }

  private struct State {
    var performances: [OpenTask.Key: Performance] = [:]
    /// The number of taken slots by capability.
    var taken: [String: Int] = [:]
    /// The capabilities that may have tasks for which no slot was free.
    var waiting: Set<String> = []
    /// The capabilities whose tasks are being claimed; true if there are more since the claim was sent.
    var claiming: [String: Bool] = [:]
    var isOpen = false
    /// True if all tasks are cancelled, also those that begin later.
    var isCancelled = false
    /// The promises of those that wait until nothing is performed or claimed.
    var waitingForIdle: [Promise<Void>] = []

    /// True if nothing is performed, and no claim is under way.
    var isIdle: Bool { performances.isEmpty && claiming.isEmpty }

    /// Removes the promises that are to be fulfilled now.
    mutating func takeWaiting() -> [Promise<Void>] {
      guard isIdle else { return [] }
      defer { waitingForIdle = [] }
      return waitingForIdle
    }
  }

  /// The result of adding a claimed task.
  enum Addition: Sendable {
    /// The task is to be performed.
    case added
    /// It is performed already. A task whose lease had ended continues with the new lease; a notification that was just
    /// given back is performed again.
    case known
    /// No further task is performed, so that it must be given back. It has no slot.
    case late
  }

  private let state = Mutex(State())

  /// Lets tasks be performed from now on.
  func open() { state.withLock { $0.isOpen = true } }

  // MARK: Slots

  /// Takes a slot for a task that is about to be opened.
  ///
  /// - Returns: false if no slot is free, or the task is performed already.
  func reserve(_ performance: Performance) -> Bool {
    state.withLock { state in
      let taken = state.taken[performance.capability, default: 0]
      guard state.isOpen, state.performances[performance.key] == nil,
        taken < performance.performer.atOnce
      else { return false }
      state.taken[performance.capability] = taken + 1
      state.performances[performance.key] = performance
      return true
    }
  }

  /// Returns the names of the capabilities that have a free slot, sorted.
  func free(among capabilities: [String: LocalPerformer]) -> [String] {
    state.withLock { state in
      guard state.isOpen else { return [] }
      return capabilities.filter { state.taken[$0.key, default: 0] < $0.value.atOnce }.keys.sorted()
    }
  }

  /// Begins to claim tasks of a capability.
  ///
  /// - Returns: false if they are being claimed already; they are then claimed once more.
  func beginClaims(of capability: String) -> Bool {
    state.withLock { state in
      guard state.isOpen else { return false }
      state.waiting.insert(capability)
      let isClaiming = state.claiming[capability] != nil
      state.claiming[capability] = isClaiming
      return !isClaiming
    }
  }

  /// Takes all free slots of a capability for a claim; ends the claims if there are none.
  ///
  /// - Returns: the number of slots.
  func slotsForClaim(of capability: String, atOnce: Int) -> Int {
    let (slots, waiting) = state.withLock { state -> (Int, [Promise<Void>]) in
      let free = state.isOpen ? atOnce - state.taken[capability, default: 0] : 0
      guard free > 0 else {
        state.claiming[capability] = nil
        return (0, state.takeWaiting())
      }
      state.taken[capability, default: 0] += free
      state.claiming[capability] = false
      return (free, [])
    }
    for promise in waiting { promise.fulfill(()) }
    return slots
  }

  /// Gives back the slots that a claim did not need.
  ///
  /// - Parameter claimed: the number of claimed tasks; nil if the claim has failed.
  /// - Returns: true if there may be more tasks, which are claimed at once.
  func endClaim(of capability: String, slots: Int, claimed: Int?) -> Bool {
    let (hasMore, waiting) = state.withLock { state -> (Bool, [Promise<Void>]) in
      state.taken[capability, default: 0] -= slots - (claimed ?? 0)
      if let claimed {
        if claimed == slots || state.claiming[capability] == true { return (true, []) }
        state.waiting.remove(capability)
      }
      state.claiming[capability] = nil
      return (false, state.takeWaiting())
    }
    for promise in waiting { promise.fulfill(()) }
    return hasMore
  }

  // MARK: Performing

  /// Adds a claimed task, whose slot the claim has taken.
  func add(_ performance: Performance) -> Addition {
    state.withLock { state in
      if state.performances[performance.key] != nil {
        state.performances[performance.key]?.token = performance.token
        state.performances[performance.key]?.task = performance.task
        state.taken[performance.capability, default: 0] -= 1
        return .known
      }
      guard state.isOpen else {
        state.taken[performance.capability, default: 0] -= 1
        return .late
      }
      state.performances[performance.key] = performance
      return .added
    }
  }

  subscript(task: OpenTask.Key) -> Performance? { state.withLock { $0.performances[task] } }

  /// Sets the work that performs a task; cancels it if the task was cancelled meanwhile.
  func start(_ task: OpenTask.Key, _ work: Task<Void, Never>) {
    let isCancelled = state.withLock { state in
      state.performances[task]?.work = work
      return state.isCancelled || state.performances[task]?.isCancelled ?? true
    }
    if isCancelled { work.cancel() }
  }

  /// Removes a task and gives its slot back.
  ///
  /// - Parameter token: the token with which it has ended, so that a task that was claimed again since then stays; nil
  ///   to remove it in any case.
  /// - Returns: false if it stays; and the capability whose tasks may wait for the slot, if any.
  func finish(_ task: OpenTask.Key, token: String? = nil) -> (isOver: Bool, next: String?) {
    let (isOver, next, waiting) = state.withLock { state -> (Bool, String?, [Promise<Void>]) in
      if let token, let latest = state.performances[task]?.token, latest != token {
        return (false, nil, [])
      }
      guard let done = state.performances.removeValue(forKey: task) else { return (true, nil, []) }
      state.taken[done.capability, default: 0] -= 1
      return (
        true, state.waiting.contains(done.capability) ? done.capability : nil,
        state.takeWaiting()
      )
    }
    for promise in waiting { promise.fulfill(()) }
    return (isOver, next)
  }

  // MARK: Cancelling

  /// Cancels the tasks that match, because no effect waits for them any more.
  func cancel(where isOver: (PerformedTask) -> Bool) {
    let works = state.withLock { state in
      let over = state.performances.filter { isOver($0.value.task) }
      for key in over.keys { state.performances[key]?.isCancelled = true }
      return over.values.compactMap(\.work)
    }
    // Outside of the lock: this runs the handlers of the performers.
    for work in works { work.cancel() }
  }

  /// Cancels all tasks, also those that begin later.
  func cancelAll() {
    state.withLock { ($0.isOpen, $0.isCancelled) = (false, true) }
    cancel { _ in true }
  }

  /// Lets no further task take a slot; those that have one are performed to their end.
  func end() { state.withLock { $0.isOpen = false } }

  /// Suspends until nothing is performed and no claim is under way, or a time has passed.
  ///
  /// - Returns: true if that is so.
  func isIdle(within time: Duration) async -> Bool {
    let idle = Promise<Void>()
    let isIdle = state.withLock { state in
      if !state.isIdle { state.waitingForIdle.append(idle) }
      return state.isIdle
    }
    if isIdle { return true }
    let timer = Task {
      try? await Task.sleep(for: time)
      idle.fulfill(())
    }
    await idle.value
    timer.cancel()
    return state.withLock(\.isIdle)
  }

  /// Removes all tasks, whose outcomes are not stored any more.
  func abandon() -> [Performance] {
    state.withLock { state in
      defer { (state.performances, state.taken) = ([:], [:]) }
      return Array(state.performances.values)
    }
  }

  /// The number of tasks that are performed, or will be.
  var count: Int { state.withLock { $0.performances.count } }
}
