import DequeModule
import FlowLanguage
import LuaRuntime

/// The queue of actions and effects that wait for their turn.
///
/// First in, first out. Numbers decrease from item to item, so that an item is found by binary search. A dropped item
/// leaves a gap, which is skipped when its turn comes; compaction keeps the number of gaps bounded by that of the
/// items. In a long queue, the items of an owner, and scheduled actions, are found by an index, which is built when it
/// is first needed.
package struct ActionQueue: Sendable {
  /// The keys by which items are found.
  fileprivate enum Key: Hashable, Sendable {
    case owner(PendingTimer.Owner)
    case source(ActiveState)
    case beginning(ActiveState)
    case waking(Int)
  }

  package struct Item: Sendable {
    package fileprivate(set) var event: PendingTimer.Event
    fileprivate(set) var owner: PendingTimer.Owner
    /// Its identity: a negative number, while timers have positive ones.
    package let number: Int
    /// The state whose effect dispatched it, or begins; nil once irrelevant.
    fileprivate(set) var source: ActiveState?
    /// The source, if its state has been left by something else since, with the revision that left it.
    package var stale: (state: ActiveState, since: Int)?
    /// True if it comes from a repeating timer.
    package let repeats: Bool
    /// The approximate size, in bytes.
    fileprivate(set) var size: Int
    /// True if it was dropped.
    fileprivate var isGap = false

    /// True if an effect has scheduled it without a delay.
    var isScheduled: Bool {
      switch owner {
      case .nobody, .state, .postponed: false
      case .instance, .effect, .stateEffect: true
      }
    }

    package init(
      event: PendingTimer.Event, owner: PendingTimer.Owner, number: Int, repeats: Bool = false,
      source: ActiveState? = nil
    ) {
      (self.event, self.owner, self.number) = (event, owner, number)
      (self.repeats, self.source) = (repeats, source)
      size = if case .action(let queued) = event { queued.size } else { 64 }
    }

    fileprivate func has(_ key: Key) -> Bool {
      switch key {
      case .owner(let owner): self.owner == owner
      case .source(let state): source == state
      case .beginning(let state): if case .begin(state) = event { true } else { false }
      case .waking(let effect): if case .wake(effect) = event { true } else { false }
      }
    }

    /// All keys under which it is found.
    fileprivate var keys: [Key] {
      var keys: [Key] = []
      if owner != .nobody { keys.append(.owner(owner)) }
      if let source { keys.append(.source(source)) }
      switch event {
      case .begin(let state): keys.append(.beginning(state))
      case .wake(let effect): keys.append(.waking(effect))
      case .action: break
      }
      return keys
    }

    fileprivate mutating func drop() {
      (event, owner, source, stale) = (.wake(0), .nobody, nil, nil)
      (size, isGap) = (0, true)
    }
  }

  private var items: Deque<Item> = []
  /// The latest number: numbers decrease, and none is reused.
  package private(set) var last = 0
  /// The number of items that wait.
  package private(set) var count = 0
  /// The numbers of items by key, including gaps and items that have left; nil until a long queue is searched.
  private var index: [Key: [Int]]?
  /// The scheduled actions that wait; it is up to date as long as there is an index.
  private var scheduled = ActionIndex()
  /// The number of items that have left since the index was built.
  private var goneSinceIndex = 0
  /// The greatest length of a queue that is searched without the index.
  private static let few = 32
  /// The approximate size of the items that wait, in bytes.
  package private(set) var size = 0
  /// True if anything ran since the last input from outside.
  private(set) var hasRun = false
  /// The number of times that each action ran without a dispatch from outside, by name.
  package private(set) var chain: [String: Int] = [:]
  /// The number of them that count: each second that passes removes as many as may run.
  private(set) var chainLength = 0
  /// The approximate size of the commits that these made, in bytes.
  private(set) var chainBytes = 0
  /// The fraction of an action that is still to be removed from the count.
  private var unforgotten = 0.0
  /// The total number of instructions used when the chain began; nil without a chain.
  private var chainStart: Int?

  /// The items that wait, in order.
  package var waiting: [Item] { items.filter { !$0.isGap } }

  /// Replaces the items by those of another queue.
  package mutating func take(_ waiting: [Item]) {
    removeAll()
    items = Deque(waiting)
    last = min(last, waiting.map(\.number).min() ?? 0)
    count = items.count
    size = waiting.reduce(0) { $0 + $1.size }
  }

  /// Lowers the latest number to at most this one.
  package mutating func advance(to number: Int) { last = min(last, number) }

  package var isEmpty: Bool { count == 0 }

  /// Adds an item, and returns its number.
  @discardableResult
  package mutating func add(
    _ event: consuming PendingTimer.Event, owner: consuming PendingTimer.Owner,
    repeats: Bool = false, from source: consuming ActiveState? = nil
  ) -> Int {
    last -= 1
    let item = Item(event: event, owner: owner, number: last, repeats: repeats, source: source)
    size += item.size
    count += 1
    if index != nil { enter(item) }
    items.append(item)
    return last
  }

  mutating func takeFirst() -> Item? {
    if count == 0 { return nil }
    while items[0].isGap { items.removeFirst() }
    size -= items[0].size
    count -= 1
    if index != nil {
      goneSinceIndex += 1
      // The index has the numbers of all items that have left: the next search builds it anew.
      if goneSinceIndex > max(count, 64) || count == 0 {
        forgetIndex()
      } else {
        leaveIndex(items[0])
      }
    }
    return items.popFirst()
  }

  package mutating func removeAll() {
    items = []
    (count, size) = (0, 0)
    forgetIndex()
  }

  // MARK: Finding

  /// Returns the places of the items with a key, in order.
  private mutating func places(of key: Key) -> [Int] {
    if count <= ActionQueue.few {
      return items.indices.filter { !items[$0].isGap && items[$0].has(key) }
    }
    buildIndex()
    return (index?[key] ?? []).compactMap(place(of:)).filter { items[$0].has(key) }
  }

  private mutating func buildIndex() {
    if index != nil { return }
    (index, goneSinceIndex) = ([:], 0)
    for item in items where !item.isGap { enter(item) }
  }

  private mutating func enter(_ item: Item) {
    for key in item.keys where index?[key]?.last != item.number {
      index?[key, default: []].append(item.number)
    }
    if item.isScheduled, case .action(let queued) = item.event {
      scheduled.insert(item.number, queued)
    }
  }

  private mutating func leaveIndex(_ item: Item) {
    if index != nil, item.isScheduled, case .action(let queued) = item.event {
      scheduled.remove(item.number, queued)
    }
  }

  private mutating func forgetIndex() { (index, scheduled) = (nil, ActionIndex()) }

  /// Returns the place of the item with that number; nil if it does not wait.
  private func place(of number: Int) -> Int? { ActionQueue.place(of: number, in: items) }

  private static func place(of number: Int, in items: Deque<Item>) -> Int? {
    var (low, high) = (0, items.count)
    while low < high {
      let middle = (low + high) / 2
      if items[middle].number > number { low = middle + 1 } else { high = middle }
    }
    guard low < items.count, items[low].number == number, !items[low].isGap else { return nil }
    return low
  }

  // MARK: Dropping

  private mutating func drop(_ key: Key) {
    if count == 0 { return }
    let places = places(of: key)
    index?[key] = nil
    drop(at: places)
  }

  private mutating func drop(at places: [Int]) {
    for place in places where !items[place].isGap {
      size -= items[place].size
      count -= 1
      leaveIndex(items[place])
      items[place].drop()
    }
    if items.count > 2 * count + 64 { items.removeAll(where: \.isGap) }
  }

  /// Removes the actions that match, and returns them in order.
  mutating func removeActions(where isGone: (QueuedAction) -> Bool) -> [QueuedAction] {
    let gone = actions.filter(isGone)
    filterItems { if case .action(let queued) = $0.event { !isGone(queued) } else { true } }
    return gone
  }

  package mutating func remove(ownedBy owner: PendingTimer.Owner) { drop(.owner(owner)) }

  /// Drops the effect of a state that was left, and marks its dispatched actions as stale.
  ///
  /// They do not become stale if one of them has left the state itself.
  package mutating func left(_ state: ActiveState, at revision: Int, byItself: Bool) {
    if count == 0 { return }
    drop(.beginning(state))
    for place in places(of: .source(state)) {
      items[place].source = nil
      if !byItself { items[place].stale = (state, revision) }
    }
    index?[.source(state)] = nil
  }

  /// Renames states.
  package mutating func rename(_ states: [ActiveState: ActiveState]) {
    if count == 0 { return }
    for place in places(about: states) {
      if let new = items[place].source.flatMap({ states[$0] }) { items[place].source = new }
      if case .begin(let state) = items[place].event, let new = states[state] {
        items[place].event = .begin(new)
      }
      switch items[place].owner {
      case .state(let state): if let new = states[state] { items[place].owner = .state(new) }
      case .stateEffect(let state):
        if let new = states[state] { items[place].owner = .stateEffect(new) }
      case .postponed, .instance, .effect, .nobody: break
      }
      if index != nil { enter(items[place]) }
    }
  }

  /// Returns the places of the items that refer to any of the states, in order.
  private mutating func places(about states: [ActiveState: ActiveState]) -> [Int] {
    if count <= states.count { return items.indices.filter { !items[$0].isGap } }
    var places: Set<Int> = []
    for state in states.keys {
      for key: Key in [
        .source(state), .beginning(state), .owner(.state(state)), .owner(.stateEffect(state)),
      ] {
        places.formUnion(self.places(of: key))
      }
    }
    return places.sorted()
  }

  /// Renames actions.
  package mutating func rename(actions: ActionNames) {
    if actions.isEmpty { return }
    forgetIndex()
    for place in items.indices {
      guard case .action(let queued) = items[place].event else { continue }
      items[place].event = .action(queued.named(actions[queued.name]))
    }
  }

  /// Removes the effects of states that are about to begin.
  mutating func removeBeginnings() {
    filterItems { if case .begin = $0.event { false } else { true } }
  }

  package mutating func remove(waking effect: Int) { drop(.waking(effect)) }

  /// Returns true if the effect waits for its turn.
  package mutating func wakes(_ effect: Int) -> Bool {
    count > 0 && !places(of: .waking(effect)).isEmpty
  }

  /// Drops every action of that name, with a payload that contains a part, that was scheduled without a delay.
  ///
  /// Returns the number of dropped actions, and that of the items that were compared.
  package mutating func cancel(
    _ action: String, containing part: Value
  ) -> (dropped: Int, visits: Int) {
    if count == 0 { return (0, 0) }
    let candidates =
      count <= ActionQueue.few
      ? items.indices.filter { !items[$0].isGap }
      : numbers(of: action, containing: part).compactMap(place(of:))
    let found = candidates.filter {
      guard case .action(let queued) = items[$0].event, items[$0].isScheduled else { return false }
      return queued.name == action && queued.payload.contains(part)
    }
    drop(at: found)
    return (found.count, candidates.count)
  }

  /// Returns the numbers of scheduled actions that may have the payload.
  private mutating func numbers(of action: String, containing part: Value) -> Set<Int> {
    buildIndex()
    let items = items
    return scheduled.numbers(of: action, containing: part) {
      guard let place = ActionQueue.place(of: $0, in: items),
        case .action(let queued) = items[place].event
      else { return nil }
      return queued.payload
    }
  }

  /// Drops the item with that number; returns false if it does not wait.
  package mutating func cancel(_ number: Int) -> Bool {
    guard let place = place(of: number) else { return false }
    drop(at: [place])
    return true
  }

  private mutating func filterItems(_ isKept: (Item) -> Bool) {
    forgetIndex()
    items.removeAll { $0.isGap || !isKept($0) }
    count = items.count
    size = items.reduce(0) { $0 + $1.size }
  }

  /// Counts an action, or an effect that wakes up.
  package mutating func ran(_ name: String, instructions: Int) {
    if chainStart == nil { chainStart = instructions }
    hasRun = true
    chain[name, default: 0] += 1
    chainLength += 1
  }

  /// Counts the size of a commit that an action from the queue has made.
  mutating func committed(_ bytes: Int) { chainBytes += bytes }

  /// Returns the number of instructions that the chain has used, given the total used so far.
  func chainInstructions(of instructions: Int) -> Int {
    instructions - (chainStart ?? instructions)
  }

  /// Ends the chain, since an input came from outside.
  mutating func outsideCame() {
    if !hasRun { return }
    hasRun = false
    forgetChain()
  }

  /// Reduces the counts of the chain by the share of a second that has passed.
  ///
  /// With each second a chain may do as much again. If any passing of time reset the counts, timers due one microsecond
  /// after the other could block everything else for hours.
  ///
  /// - Parameters:
  ///   - most: the limits of a chain.
  ///   - used: the total number of instructions used so far.
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
    // Time in which nothing was left to remove does not count later.
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

  /// The name that ran most often, for the error that ends a chain.
  var mostFrequent: String? { chain.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key }

  /// The states whose effects are about to begin, in order.
  package var beginning: [ActiveState] {
    waiting.compactMap { if case .begin(let state) = $0.event { state } else { nil } }
  }

  /// The numbers of the effects that wait for their turn, in order.
  package var waking: [Int] {
    waiting.compactMap { if case .wake(let effect) = $0.event { effect } else { nil } }
  }

  /// The queued actions, in order.
  var actions: [QueuedAction] {
    waiting.compactMap { if case .action(let queued) = $0.event { queued } else { nil } }
  }
}
