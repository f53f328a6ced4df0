import Synchronization

/// What an input has to tell, told as it happens.
///
/// Two effects that dispatch each other make as many transitions as the limits allow: of so many
/// the first are told, then how many more there were, then the last.
final class InputReport: Sendable {
  /// How many transitions are told as they happen.
  static let first = 20
  /// How many of the others are told at the end.
  static let last = 5
  /// How much between these is told, where scripts print without end.
  private static let mostHeld = 100

  private struct Block {
    let lines: [String]
    let isCommit: Bool
  }

  private struct State {
    var commits = 0
    /// The end so far, once there is too much.
    var held: [Block] = []
    var droppedCommits = 0
    var droppedLines = 0
    /// What is told once something else has happened; nil where it is told at once.
    var waiting: [String]?

    mutating func hold(_ block: Block) {
      held.append(block)
      let isFull = held.count { $0.isCommit } > InputReport.last
      if isFull { drop() }
      while held.count > InputReport.mostHeld { drop() }
      // What was told before the first transition that is left belongs to one that is not.
      while isFull, held.first?.isCommit == false { drop() }
    }

    private mutating func drop() {
      let block = held.removeFirst()
      if block.isCommit { droppedCommits += 1 } else { droppedLines += block.lines.count }
    }

    var summary: String? {
      var parts: [String] = []
      for (count, what) in [(droppedCommits, "transition"), (droppedLines, "line")]
      where count > 0 {
        parts.append("\(count) more \(what)\(count == 1 ? "" : "s")")
      }
      if parts.isEmpty { return nil }
      return "... and \(parts.joined(separator: " and ")) (:history lists the latest)"
    }
  }

  private let output: @Sendable (String) -> Void
  private let state = Mutex(State())

  init(output: @escaping @Sendable (String) -> Void) { self.output = output }

  /// Another input begins.
  func begin() { end() }

  /// Tells lines that belong together.
  func add(_ lines: [String], isCommit: Bool = false) {
    let isTold = state.withLock { state in
      if isCommit { state.commits += 1 }
      if state.commits <= InputReport.first { return true }
      state.hold(Block(lines: lines, isCommit: isCommit))
      return false
    }
    if isTold { tell(lines) }
  }

  private func tell(_ lines: [String]) {
    let isHeld = state.withLock { state in
      state.waiting?.append(contentsOf: lines)
      return state.waiting != nil
    }
    if !isHeld { lines.forEach(output) }
  }

  /// Tells nothing from now on before `letGo`.
  func holdBack() { state.withLock { $0.waiting = [] } }

  /// Tells what was held back, or nothing of it.
  func letGo(telling: Bool = true) {
    let lines = state.withLock { state in
      defer { state.waiting = nil }
      return state.waiting ?? []
    }
    if telling { lines.forEach(output) }
  }

  /// Tells what was held back, and forgets it.
  func end() {
    let lines = state.withLock { state in
      defer { state = State() }
      return (state.summary.map { [$0] } ?? []) + state.held.flatMap(\.lines)
    }
    lines.forEach(output)
  }
}

/// What went wrong while an input was played: of very much the first and the last.
struct Diagnostics {
  private var first: [String] = []
  private var last: [String] = []
  private var dropped = 0

  var isEmpty: Bool { first.isEmpty }

  mutating func add(_ complaint: String) {
    guard first.count == InputReport.first else { return first.append(complaint) }
    last.append(complaint)
    if last.count > InputReport.last {
      last.removeFirst()
      dropped += 1
    }
  }

  var lines: [String] {
    let more = dropped == 0 ? [] : ["... and \(dropped) more error\(dropped == 1 ? "" : "s")"]
    return first + more + last
  }
}
