import LuaRuntime

/// What is due later, in the order of due times; equal times in the order in which they were set.
struct Timers: Sendable {
  /// What happens when a timer is due.
  enum Event: Sendable {
    case action(QueuedAction)
    case wake(LuaTask)
  }

  /// Who stops a timer by going away.
  enum Owner: Hashable, Sendable {
    case state(machine: Int, entry: Int)
    case instance(Int)
    case nobody
  }

  struct Timer: Sendable {
    let due: Int
    let number: Int
    let event: Event
    let owner: Owner
    let name: String
  }

  private(set) var pending: [Timer] = [] {
    didSet { version &+= 1 }
  }
  /// Counts the changes.
  private(set) var version = 0
  private var last = 0

  var next: Timer? { pending.first }
  /// When the next one is due.
  var nextDue: Int? { pending.isEmpty ? nil : pending[0].due }
  var count: Int { pending.count }

  mutating func add(_ event: Event, due: Int, owner: Owner, name: String) {
    last += 1
    let timer = Timer(due: due, number: last, event: event, owner: owner, name: name)
    var low = 0
    var high = pending.count
    while low < high {
      let middle = (low + high) / 2
      if pending[middle].due <= due { low = middle + 1 } else { high = middle }
    }
    pending.insert(timer, at: low)
  }

  mutating func takeFirst() -> Timer? { pending.isEmpty ? nil : pending.removeFirst() }

  mutating func remove(ownedBy owner: Owner) {
    // What changes nothing is no change: moments of the history are told apart by the version.
    if pending.contains(where: { $0.owner == owner }) { pending.removeAll { $0.owner == owner } }
  }

  mutating func remove(waking task: LuaTask) {
    pending.removeAll { if case .wake(let waiting) = $0.event { waiting == task } else { false } }
  }

  /// Stops every timer of that action.
  ///
  /// Gives how many there were.
  mutating func cancel(_ action: String) -> Int {
    let before = pending.count
    pending.removeAll {
      if case .action(let queued) = $0.event { queued.name == action } else { false }
    }
    return before - pending.count
  }

  /// Goes back to what was pending then; of the effects that sleep only those that are still there.
  mutating func restore(_ then: Timers, keepingTasks tasks: Set<LuaTask>) {
    let asleep = pending.filter {
      if case .wake(let task) = $0.event { tasks.contains(task) } else { false }
    }
    let actions = then.pending.filter { if case .action = $0.event { true } else { false } }
    pending = (actions + asleep).sorted { ($0.due, $0.number) < ($1.due, $1.number) }
  }

  /// Reads owners and causes with the numbers that hold now.
  mutating func carry(_ carry: Carry) { pending = pending.map { $0.carried(carry) } }

  /// The actions that are due later, for reports.
  var actions: [Timer] {
    pending.filter { if case .action = $0.event { true } else { false } }
  }
}

extension Timers.Timer {
  func carried(_ carry: Carry) -> Timers.Timer {
    var event = event
    if case .action(let queued) = event {
      event = .action(
        QueuedAction(
          name: queued.name, payload: queued.payload, cause: queued.cause.carried(carry)))
    }
    var owner = carry.owner(owner) ?? owner
    if case .instance(let number) = owner, let now = carry.instances[number] {
      owner = .instance(now)
    }
    return Timers.Timer(due: due, number: number, event: event, owner: owner, name: name)
  }
}

/// An action that waits for its turn: its payload has been checked.
struct QueuedAction: Sendable {
  let name: String
  let payload: Value
  let cause: Cause
}
