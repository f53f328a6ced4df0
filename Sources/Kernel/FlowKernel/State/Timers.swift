import HeapModule
import LuaRuntime

/// The pending timers, by due time; timers due at the same time in the order in which they were set.
///
/// The due times are in a heap, and the timers are indexed by number and by owner: setting one, removing the next and
/// stopping those of an owner stay cheap with thousands of timers. A stopped timer leaves its due time in the heap
/// until it is at the top, or until such entries outnumber the pending timers. Those of an action are found by an index,
/// which is built when it is first needed and there are many.
package struct Timers: Sendable {
  private struct Due: Comparable, Sendable {
    let time: Int
    let number: Int

    static func < (one: Due, other: Due) -> Bool {
      (one.time, one.number) < (other.time, other.number)
    }
  }

  private var heap = Heap<Due>()
  private var timers: [Int: PendingTimer] = [:]
  private var numbers: [PendingTimer.Owner: Set<Int>] = [:]
  /// The timers of actions by name and payload; nil until many are searched.
  private var index: ActionIndex?
  /// The greatest number of timers that are searched without the index.
  private static let few = 32
  package private(set) var last = 0
  /// The number of timers of states, which is limited by the states that flows declare.
  private var ofStates = 0
  /// The number of postponed actions.
  package private(set) var postponed = 0
  /// The approximate size of the pending timers, in bytes.
  package private(set) var size = 0

  package init() {}

  /// Creates timers from their stored values.
  package init(pending: [PendingTimer], last: Int) {
    for timer in pending { put(timer) }
    goOn(from: last)
  }

  /// Raises the latest number to at least this one.
  package mutating func goOn(from number: Int) { last = max(last, number) }

  package var isEmpty: Bool { timers.isEmpty }
  package var count: Int { timers.count }
  /// The number of timers that effects have set.
  package var ofEffects: Int { timers.count - ofStates - postponed }

  /// The pending timers, in order.
  package var pending: [PendingTimer] {
    timers.values.sorted { ($0.due, $0.number) < ($1.due, $1.number) }
  }

  /// The next timer that is due.
  package var next: PendingTimer? { heap.min.flatMap { timers[$0.number] } }
  /// The due time of the next timer.
  package var nextDue: Int? { heap.min?.time }

  /// Sets and returns a new timer.
  package mutating func add(
    _ event: PendingTimer.Event, due: Int, owner: PendingTimer.Owner, every: Int? = nil
  ) -> PendingTimer {
    let timer = PendingTimer(
      due: due, number: last + 1, event: event, owner: owner, every: every)
    put(timer)
    return timer
  }

  /// Sets a timer that has a number, and replaces the timer with that number.
  package mutating func put(_ timer: PendingTimer) {
    last = max(last, timer.number)
    let old = timers.updateValue(timer, forKey: timer.number)
    size += timer.size - (old?.size ?? 0)
    if let old {
      forgetNumber(of: old)
      if let action = old.action { index?.remove(old.number, action) }
    }
    if let action = timer.action { index?.insert(timer.number, action) }
    if old?.due != timer.due, timer.due != EngineTime.never {
      heap.insert(Due(time: timer.due, number: timer.number))
    }
    numbers[timer.owner, default: []].insert(timer.number)
    count(1, of: timer.owner)
  }

  mutating func takeNext() -> PendingTimer? {
    guard let next else { return nil }
    remove(next.number)
    return next
  }

  @discardableResult
  package mutating func remove(_ number: Int) -> PendingTimer? {
    guard let timer = timers.removeValue(forKey: number) else { return nil }
    size -= timer.size
    forgetNumber(of: timer)
    leaveIndex(timer)
    sweep()
    return timer
  }

  /// Stops every timer of an owner, and returns them by number.
  package mutating func remove(ownedBy owner: PendingTimer.Owner) -> [PendingTimer] {
    guard let owned = numbers[owner], !owned.isEmpty else { return [] }
    count(-owned.count, of: owner)
    if owner.comesAgain, owned.count < 16 {
      numbers[owner]?.removeAll(keepingCapacity: true)
    } else {
      numbers[owner] = nil
    }
    let removed = owned.sorted().compactMap { timers.removeValue(forKey: $0) }
    for timer in removed {
      size -= timer.size
      leaveIndex(timer)
    }
    sweep()
    return removed
  }

  /// Returns the pending timers of an owner.
  package func timers(ownedBy owner: PendingTimer.Owner) -> [PendingTimer] {
    (numbers[owner] ?? []).sorted().compactMap { timers[$0] }
  }

  /// Returns the pending timers of an action whose payload contains a part, in order, and the number of timers that
  /// were compared.
  package mutating func timers(
    of action: String, containing part: Value
  ) -> (found: [PendingTimer], visits: Int) {
    let candidates = candidates(of: action, containing: part)
    let found = candidates.filter {
      $0.action.map { $0.name == action && $0.payload.contains(part) } == true
    }
    return (found.sorted { ($0.due, $0.number) < ($1.due, $1.number) }, candidates.count)
  }

  private mutating func candidates(of action: String, containing part: Value) -> [PendingTimer] {
    let timers = timers
    if timers.count <= Timers.few { return Array(timers.values) }
    if index == nil {
      var index = ActionIndex()
      for timer in timers.values {
        if let action = timer.action { index.insert(timer.number, action) }
      }
      self.index = index
    }
    let numbers = index?.numbers(of: action, containing: part) { timers[$0]?.action?.payload }
    return (numbers ?? []).compactMap { timers[$0] }
  }

  private mutating func leaveIndex(_ timer: PendingTimer) {
    if timers.count <= Timers.few {
      index = nil
    } else if let action = timer.action {
      index?.remove(timer.number, action)
    }
  }

  private mutating func count(_ change: Int, of owner: PendingTimer.Owner) {
    switch owner {
    case .state: ofStates += change
    case .postponed: postponed += change
    case .stateEffect, .instance, .effect, .nobody: break
    }
  }

  private mutating func forgetNumber(of timer: PendingTimer) {
    numbers[timer.owner]?.remove(timer.number)
    count(-1, of: timer.owner)
    if timer.owner.comesAgain { return }
    if numbers[timer.owner]?.isEmpty == true { numbers[timer.owner] = nil }
  }

  /// Restores the invariants of the heap: its top is a pending timer, and stale entries do not outnumber timers.
  private mutating func sweep() {
    if heap.count > 2 * timers.count + 32 {
      heap = Heap(
        timers.values.filter { $0.due != EngineTime.never }
          .map { Due(time: $0.due, number: $0.number) })
      return
    }
    while let first = heap.min, timers[first.number] == nil { heap.removeMin() }
  }
}

extension PendingTimer.Owner {
  /// True if it is one of a few owners that set timers again and again: a state of a machine of the state.
  ///
  /// Scope instances are new each time, and there may be any number of records.
  fileprivate var comesAgain: Bool {
    if case .state(let active) = self { active.keys.isEmpty } else { false }
  }
}
