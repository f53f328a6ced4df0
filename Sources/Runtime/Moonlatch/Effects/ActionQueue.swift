/// What waits for its turn: actions, and effects that slept for no time at all.
///
/// First in, first out.
struct ActionQueue {
  struct Item {
    fileprivate(set) var event: PendingTimer.Event
    fileprivate(set) var owner: PendingTimer.Owner
    /// Its identity: below 0, where no timer's is.
    let number: Int
    /// The state whose effect dispatched it, or begins; nil once that is of no account.
    fileprivate(set) var source: ActiveState?
    /// The same, where that state has been left since by something else, with the revision that left it.
    var stale: (state: ActiveState, since: Int)?
    /// Whether it is that of a timer that is due again and again.
    let repeats: Bool
    /// The bytes that it takes, about.
    let size: Int

    /// Whether an effect has scheduled it for at once.
    var isScheduled: Bool {
      switch owner {
      case .nobody, .state: false
      case .instance, .effect, .stateEffect: true
      }
    }

    init(
      event: PendingTimer.Event, owner: PendingTimer.Owner, number: Int, repeats: Bool = false,
      source: ActiveState? = nil
    ) {
      (self.event, self.owner, self.number) = (event, owner, number)
      (self.repeats, self.source) = (repeats, source)
      size = if case .action(let queued) = event { queued.size } else { 64 }
    }
  }

  private var items: [Item] = []
  private var head = 0
  private var last = 0
  /// The bytes that what waits takes, about.
  private(set) var size = 0
  /// Whether anything ran since something came from outside.
  private(set) var hasRun = false
  /// How many actions ran without a dispatch from outside, by name.
  private(set) var chain: [String: Int] = [:]
  /// How many of them count: as many as may run are forgotten with each second that passes.
  private(set) var chainLength = 0
  /// The bytes of the transitions that these made, about.
  private(set) var chainBytes = 0
  /// The part of an action by which too few were forgotten.
  private var unforgotten = 0.0
  /// The instructions that everything had used when they began to count; nil where none do.
  private var chainStart: Int?

  /// What waits, in order.
  var waiting: [Item] { Array(items[head...]) }

  /// Takes up what waited in another queue.
  mutating func take(_ waiting: [Item]) {
    removeAll()
    items = waiting
    last = min(last, waiting.map(\.number).min() ?? 0)
    size = waiting.reduce(0) { $0 + $1.size }
  }

  var count: Int { items.count - head }
  var isEmpty: Bool { items.count == head }

  /// Gives the number of what is added.
  @discardableResult
  mutating func add(
    _ event: PendingTimer.Event, owner: PendingTimer.Owner, repeats: Bool = false,
    from source: ActiveState? = nil
  ) -> Int {
    last -= 1
    let item = Item(
      event: event, owner: owner, number: last, repeats: repeats, source: source)
    size += item.size
    items.append(item)
    return last
  }

  mutating func takeFirst() -> Item? {
    guard head < items.count else { return nil }
    defer {
      head += 1
      if head > 64 && head * 2 > items.count {
        items.removeFirst(head)
        head = 0
      }
    }
    size -= items[head].size
    return items[head]
  }

  mutating func removeAll() {
    items = []
    head = 0
    size = 0
  }

  /// Drops the actions that are such, and gives them in order.
  mutating func removeActions(where isGone: (QueuedAction) -> Bool) -> [QueuedAction] {
    let gone = actions.filter(isGone)
    keep { if case .action(let queued) = $0.event { !isGone(queued) } else { true } }
    return gone
  }

  mutating func remove(ownedBy owner: PendingTimer.Owner) { keep { $0.owner != owner } }

  /// A state was left: its effect begins no more, and what that had dispatched is stale, unless one of
  /// its own dispatches left the state.
  mutating func left(_ state: ActiveState, at revision: Int, byItself: Bool) {
    if count == 0 { return }
    keep { if case .begin(state) = $0.event { false } else { true } }
    for index in items.indices where items[index].source == state {
      items[index].source = nil
      if !byItself { items[index].stale = (state, revision) }
    }
  }

  /// States have other names from now on.
  mutating func rename(_ states: [ActiveState: ActiveState]) {
    for index in items.indices.dropFirst(head) {
      if let new = items[index].source.flatMap({ states[$0] }) { items[index].source = new }
      if case .begin(let state) = items[index].event, let new = states[state] {
        items[index].event = .begin(new)
      }
      switch items[index].owner {
      case .state(let state): if let new = states[state] { items[index].owner = .state(new) }
      case .stateEffect(let state):
        if let new = states[state] { items[index].owner = .stateEffect(new) }
      case .instance, .effect, .nobody: continue
      }
    }
  }

  /// Actions have other names from now on.
  mutating func rename(actions: ActionNames) {
    if actions.isEmpty { return }
    for index in items.indices.dropFirst(head) {
      guard case .action(let queued) = items[index].event else { continue }
      items[index].event = .action(queued.named(actions[queued.name]))
    }
  }

  /// No effect of a state begins any more.
  mutating func removeBeginnings() {
    keep { if case .begin = $0.event { false } else { true } }
  }

  mutating func remove(waking effect: Int) {
    keep { if case .wake(let waiting) = $0.event { waiting != effect } else { true } }
  }

  /// Drops every action of that name, with such a payload, that was scheduled for at once.
  ///
  /// Gives how many there were.
  mutating func cancel(_ action: String, where matches: (Value) -> Bool) -> Int {
    let before = count
    keep {
      guard case .action(let queued) = $0.event, $0.isScheduled else { return true }
      return queued.name != action || !matches(queued.payload)
    }
    return before - count
  }

  /// Drops what has that number: false where it does not wait any more.
  mutating func cancel(_ number: Int) -> Bool {
    let before = count
    keep { $0.number != number }
    return before > count
  }

  private mutating func keep(_ isKept: (Item) -> Bool) {
    if count == 0 { return }
    items = items[head...].filter(isKept)
    head = 0
    size = items.reduce(0) { $0 + $1.size }
  }

  /// Counts an action, or an effect that wakes up.
  mutating func ran(_ name: String, instructions: Int) {
    if chainStart == nil { chainStart = instructions }
    hasRun = true
    chain[name, default: 0] += 1
    chainLength += 1
  }

  /// An action that ran from the queue has made a transition of that size.
  mutating func committed(_ bytes: Int) { chainBytes += bytes }

  /// How many of so many instructions the chain has used.
  func chainInstructions(of instructions: Int) -> Int {
    instructions - (chainStart ?? instructions)
  }

  /// A dispatch came from outside: whatever runs now is no chain of its own.
  mutating func outsideCame() {
    if !hasRun { return }
    hasRun = false
    forgetChain()
  }

  /// Time has passed.
  ///
  /// A chain may do as much again with each second: were all forgotten with the least of times, timers that are due a
  /// microsecond one after the other could keep everybody waiting for hours.
  ///
  /// - Parameters:
  ///   - most: what a chain may do.
  ///   - used: the instructions that everything has used by now.
  mutating func timePassed(
    microseconds: Int, most: (actions: Int, instructions: Int, bytes: Int), used: Int
  ) {
    guard let start = chainStart else { return }
    let share = Double(microseconds) / 1_000_000
    if share >= 1 { return forgetChain() }
    unforgotten += share * Double(most.actions)
    let actions = min(unforgotten.rounded(.down), Double(chainLength))
    let instructions = min(share * Double(most.instructions), Double(max(0, used - start)))
    chainLength -= Int(actions)
    // Time in which there was nothing to forget counts for nothing later.
    unforgotten = chainLength == 0 ? 0 : unforgotten - actions
    chainStart = start + Int(instructions)
    chainBytes -= Int(min(share * Double(most.bytes), Double(chainBytes)))
    if chainLength == 0, chainInstructions(of: used) == 0 { forgetChain() }
  }

  private mutating func forgetChain() {
    chain.removeAll(keepingCapacity: chain.count < 100)
    chainLength = 0
    chainBytes = 0
    unforgotten = 0
    chainStart = nil
  }

  /// The action that ran most often, for the error that ends a chain.
  var mostFrequent: String? { chain.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key }

  /// The states whose effects are about to begin, in order.
  var beginning: [ActiveState] {
    items[head...].compactMap { if case .begin(let state) = $0.event { state } else { nil } }
  }

  /// The effects that wait for their turn, in order.
  var waking: [Int] {
    items[head...].compactMap { if case .wake(let effect) = $0.event { effect } else { nil } }
  }

  /// The queued actions, in order.
  var actions: [QueuedAction] {
    items[head...].compactMap { if case .action(let queued) = $0.event { queued } else { nil } }
  }
}
