/// What cases of a log came to, by the events that they began with.
///
/// A flow is deterministic: what an event comes to follows from the flow and the events of the case up
/// to it. So a case that begins as another did is what that one was, and nothing has to be played
/// again. The root is a fresh case, a node a case after the events on the way to it. An event at which
/// a script asked for the time is never noted (`CasePlayer.hasReadClock`), since the same events may
/// stand at other times in another case.
///
/// It is bounded: when it is full, nothing more is noted.
struct CaseTree {
  /// How many nodes there are at most, and how many bytes of events and of outcomes.
  var mostNodes = 1 << 17
  var mostBytes = 1 << 22

  private struct Node {
    let parent: UInt32
    let event: UInt32
    let outcome: UInt32
  }

  static let root = 0

  /// What scripts print when the flow is loaded; nil before it ever was.
  var printedAtStart: [String]?
  private var nodes = [Node(parent: 0, event: 0, outcome: 0)]
  /// Nodes by parent and event; never more than half are taken.
  private var slots = [UInt32](repeating: 0, count: 64)
  private var events = ByteNames()
  private var outcomes = [EventOutcome.passed]
  private var outcomeNumbers: [EventOutcome: Int] = [.passed: 0]
  private var outcomeBytes = 0

  /// How many cases with different beginnings are known, the fresh one included.
  var count: Int { nodes.count }

  /// What a case becomes with that event, if that is known.
  func child(of node: Int, _ event: UnsafeBufferPointer<UInt8>) -> Int? {
    guard let event = events.number(of: event) else { return nil }
    let mask = slots.count - 1
    var slot = CaseTree.slot(UInt32(node), UInt32(event), mask)
    while slots[slot] != 0 {
      let child = Int(slots[slot])
      if nodes[child].parent == node, nodes[child].event == event { return child }
      slot = (slot + 1) & mask
    }
    return nil
  }

  /// Whether the event that led to a node passed without a word.
  func isPlain(_ node: Int) -> Bool { nodes[node].outcome == 0 }

  /// What the event that led to a node came to.
  func outcome(of node: Int) -> EventOutcome { outcomes[Int(nodes[node].outcome)] }

  /// The events on the way to a node.
  func path(to node: Int) -> [ArraySlice<UInt8>] {
    var path: [ArraySlice<UInt8>] = []
    var at = node
    while at != CaseTree.root {
      path.append(events[Int(nodes[at].event)])
      at = Int(nodes[at].parent)
    }
    return path.reversed()
  }

  /// Adds what an event came to and gives the node of it, nil if the tree is full.
  mutating func add(_ event: UnsafeBufferPointer<UInt8>, to node: Int, _ outcome: EventOutcome)
    -> Int?
  {
    guard nodes.count < mostNodes, events.byteCount + event.count <= mostBytes,
      let outcome = number(of: outcome)
    else { return nil }
    if 2 * (nodes.count + 1) > slots.count { grow() }
    nodes.append(
      Node(
        parent: UInt32(node), event: UInt32(events.add(event)), outcome: UInt32(outcome)))
    place(nodes.count - 1)
    return nodes.count - 1
  }

  private mutating func number(of outcome: EventOutcome) -> Int? {
    if let known = outcomeNumbers[outcome] { return known }
    guard outcomeBytes + outcome.size <= mostBytes else { return nil }
    outcomeBytes += outcome.size
    outcomes.append(outcome)
    outcomeNumbers[outcome] = outcomes.count - 1
    return outcomes.count - 1
  }

  private mutating func grow() {
    slots = [UInt32](repeating: 0, count: 2 * slots.count)
    for node in nodes.indices.dropFirst() { place(node) }
  }

  private mutating func place(_ node: Int) {
    let mask = slots.count - 1
    var slot = CaseTree.slot(nodes[node].parent, nodes[node].event, mask)
    while slots[slot] != 0 { slot = (slot + 1) & mask }
    slots[slot] = UInt32(node)
  }

  private static func slot(_ node: UInt32, _ event: UInt32, _ mask: Int) -> Int {
    let product = (UInt64(node) << 32 | UInt64(event)) &* 0x9e37_79b9_7f4a_7c15
    return Int(truncatingIfNeeded: product >> 32) & mask
  }
}
