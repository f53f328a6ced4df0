import HeapModule

/// What is due later, in the order of due times; equal times in the order in which they were set.
///
/// A heap of due times, and the timers by number and by owner: to set one, to take the next and to
/// stop those of an owner cost no more where thousands are pending. What is stopped leaves its due
/// time in the heap until that comes up, or until such leavings outweigh what is pending.
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
  package private(set) var last = 0
  /// How many belong to states: of these there are no more than flows declare.
  private var ofStates = 0
  /// How many actions are postponed.
  package private(set) var postponed = 0
  /// The bytes that what is pending takes, about.
  package private(set) var size = 0

  package init() {}

  /// What was kept of other timers.
  package init(pending: [PendingTimer], last: Int) {
    for timer in pending { put(timer) }
    goOn(from: last)
  }

  /// The next number is behind this one at least.
  package mutating func goOn(from number: Int) { last = max(last, number) }

  package var isEmpty: Bool { timers.isEmpty }
  package var count: Int { timers.count }
  /// How many effects have set.
  package var ofEffects: Int { timers.count - ofStates - postponed }

  /// What is pending, in order.
  package var pending: [PendingTimer] {
    timers.values.sorted { ($0.due, $0.number) < ($1.due, $1.number) }
  }

  /// The next one that is due.
  package var next: PendingTimer? { heap.min.flatMap { timers[$0.number] } }
  /// When the next one is due.
  package var nextDue: Int? { heap.min?.time }

  /// A new timer, set.
  package mutating func add(
    _ event: PendingTimer.Event, due: Int, owner: PendingTimer.Owner, every: Int? = nil
  ) -> PendingTimer {
    let timer = PendingTimer(
      due: due, number: last + 1, event: event, owner: owner, every: every)
    put(timer)
    return timer
  }

  /// Sets a timer that has its number already, in place of one of that number.
  package mutating func put(_ timer: PendingTimer) {
    last = max(last, timer.number)
    let old = timers.updateValue(timer, forKey: timer.number)
    size += timer.size - (old?.size ?? 0)
    if let old { forgetNumber(of: old) }
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
    sweep()
    return timer
  }

  /// Stops every timer of an owner, and gives them in order of number.
  package mutating func remove(ownedBy owner: PendingTimer.Owner) -> [PendingTimer] {
    guard let owned = numbers[owner], !owned.isEmpty else { return [] }
    count(-owned.count, of: owner)
    if owner.comesAgain, owned.count < 16 {
      numbers[owner]?.removeAll(keepingCapacity: true)
    } else {
      numbers[owner] = nil
    }
    let removed = owned.sorted().compactMap { timers.removeValue(forKey: $0) }
    for timer in removed { size -= timer.size }
    sweep()
    return removed
  }

  /// The pending timers of an owner.
  package func timers(ownedBy owner: PendingTimer.Owner) -> [PendingTimer] {
    (numbers[owner] ?? []).sorted().compactMap { timers[$0] }
  }

  /// The pending timers of an action, in order.
  package func timers(of action: String) -> [PendingTimer] {
    timers.values.filter { $0.action?.name == action }
      .sorted { ($0.due, $0.number) < ($1.due, $1.number) }
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

  /// The heap begins with a timer that is pending, and has no more leavings than timers.
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
  /// Whether it is one of few whose timers come and go at every move: a state of the state's own machines.
  ///
  /// Instances are new each time, and of records there may be any number.
  fileprivate var comesAgain: Bool {
    if case .state(let active) = self { active.keys.isEmpty } else { false }
  }
}
