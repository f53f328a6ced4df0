import Platform

/// One case of a log.
///
/// As long as its events are those of an earlier case, their outcomes are known. From the first other event on, the
/// case is played against a flow of its own.
final class ReplayCase {
  private let name: [UInt8]
  private(set) var isWhole = true
  /// The time in microseconds since the case began.
  private(set) var time = 0
  /// The time of the first event, in microseconds since 1970.
  private var beginning: Int?
  /// The node in the tree of known cases; nil if the case has left the tree.
  private var node: Int? = CaseTree.root
  private var player: CasePlayer?
  /// The times of the events, if a flow that is opened later needs them.
  private var times: [Int] = []

  init(_ name: UnsafeBufferPointer<UInt8>) { self.name = Array(name) }

  var title: String { String(decoding: name, as: UTF8.self) }

  func isNamed(_ other: UnsafeBufferPointer<UInt8>) -> Bool {
    guard name.count == other.count, let start = other.baseAddress else { return false }
    return name.withUnsafeBufferPointer { name in
      name.baseAddress.map { memcmp($0, start, other.count) == 0 } ?? false
    }
  }

  /// Begins the case as a flow that has just been loaded.
  func begin(_ known: KnownCases) throws {
    if let lines = known.tree.printedAtStart {
      for line in lines { known.print(line) }
      return
    }
    let player = try known.open(isSilent: false)
    let printed = player.takePrinted()
    // If the lines are too many to store, every case has a flow that prints them again.
    if known.remembers, let printed { known.tree.printedAtStart = printed } else { node = nil }
    self.player = player
  }

  /// Plays the event that was read last, at a time of the log in microseconds.
  ///
  /// Returns the reason that it did not pass, or nil if it passed.
  func play(_ known: KnownCases, at time: Int?) throws -> ReplayDeviation.RejectionReason? {
    if let time { advance(to: time) }
    guard player == nil, let node else { return try dispatch(known) }
    if known.needsTimes { times.append(self.time) }
    guard let child = known.tree.child(of: node, known.events.bytes) else {
      return try dispatch(known)
    }
    self.node = child
    if known.tree.isPlain(child) { return nil }
    let outcome = known.tree.outcome(of: child)
    for line in outcome.printed { known.print(line) }
    if outcome.why != nil { isWhole = false }
    return outcome.why
  }

  private func advance(to time: Int) {
    let start = beginning ?? time
    beginning = start
    let (elapsed, overflow) = time.subtractingReportingOverflow(start)
    if !overflow { self.time = max(self.time, elapsed) }
  }

  /// Dispatches the event to a flow of the case's own, and stores the outcome.
  private func dispatch(_ known: KnownCases) throws -> ReplayDeviation.RejectionReason? {
    let player = try self.player ?? catchUp(known)
    let (action, payload) = known.events.event(known.events.bytes)
    let why = try player.play(action, payload, at: time)
    if why != nil { isWhole = false }
    let printed = player.takePrinted()
    if let node {
      if let printed, !player.hasReadClock {
        self.node = known.note(EventOutcome(why: why, printed: printed), at: node)
      } else {
        self.node = nil
      }
    }
    return why
  }

  /// Returns a flow in which the events of the case so far have happened.
  private func catchUp(_ known: KnownCases) throws -> CasePlayer {
    let player = try known.open(isSilent: true)
    for (index, event) in known.tree.path(to: node ?? CaseTree.root).enumerated() {
      let (action, payload) = event.withUnsafeBufferPointer { known.events.event($0) }
      _ = try player.play(action, payload, at: known.needsTimes ? times[index] : 0)
    }
    _ = player.takePrinted()
    player.speak()
    times = []
    self.player = player
    return player
  }
}
