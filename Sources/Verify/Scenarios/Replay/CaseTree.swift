/// The outcomes of the cases of a log, by the events that the cases began with.
///
/// A flow is deterministic: the outcome of an event follows from the flow and the events of the case up to it. So a
/// case that begins like an earlier one has the same outcomes, and nothing has to be played again. The root is a fresh
/// case. A node is a case after the events on the path to it. An event at which a script read the clock is never added
/// (`CasePlayer.hasReadClock`), because the same events may have other times in another case.
///
/// The tree is bounded: when it is full, nothing more is added.
struct CaseTree {
  /// The number of nodes, and the number of bytes of events and of outcomes, at most.
  var mostNodes = 1 << 17
  var mostBytes = 1 << 22

  private struct Node {
    let parent: UInt32
    let event: UInt32
    let outcome: UInt32
  }

  static let root = 0

  /// The lines that scripts print when the flow is loaded; nil before it has been loaded for the first time.
  var printedAtStart: [String]?
  private var nodes = [Node(parent: 0, event: 0, outcome: 0)]
  /// The nodes by parent and event, in an open hash table of which at most half is in use.
  private var slots = [UInt32](repeating: 0, count: 64)
  private var events = ByteNames()
  private var outcomes = [EventOutcome.passed]
  private var outcomeNumbers: [EventOutcome: Int] = [.passed: 0]
  private var outcomeBytes = 0

  /// The number of different beginnings of cases that are known, the fresh case included.
  var count: Int { nodes.count }

  /// Returns the node of a case after one more event, if it is known.
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

  /// Returns true if the event that led to a node passed and scripts printed nothing.
  func isPlain(_ node: Int) -> Bool { nodes[node].outcome == 0 }

  /// Returns the outcome of the event that led to a node.
  func outcome(of node: Int) -> EventOutcome { outcomes[Int(nodes[node].outcome)] }

  /// Returns the events on the path to a node.
  func path(to node: Int) -> [ArraySlice<UInt8>] {
    var path: [ArraySlice<UInt8>] = []
    var at = node
    while at != CaseTree.root {
      path.append(events[Int(nodes[at].event)])
      at = Int(nodes[at].parent)
    }
    return path.reversed()
  }

  /// Adds the outcome of an event and returns its node; nil if the tree is full.
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
