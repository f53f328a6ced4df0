import Platform

/// The output of an input, reported as it happens and shortened if it is long.
///
/// Two effects that dispatch each other make as many commits as the limits allow. Then the first commits are reported,
/// then the number of those left out, then the last.
final class InputReport: Sendable {
  /// The number of commits that are reported as they happen.
  static let first = 20
  /// The number of commits that are reported at the end.
  static let last = 5
  /// The maximum number of blocks that are held, for scripts that print without end.
  private static let mostHeld = 100

  private struct Block {
    let lines: [String]
    let isCommit: Bool
  }

  private struct State {
    var commits = 0
    /// The blocks at the end so far, once there are too many to report.
    var held: [Block] = []
    var droppedCommits = 0
    var droppedLines = 0
    /// The lines to report once the turn is stored; nil if lines are reported at once.
    var waiting: [String]?

    mutating func hold(_ block: Block) {
      held.append(block)
      let isFull = held.count { $0.isCommit } > InputReport.last
      if isFull { drop() }
      while held.count > InputReport.mostHeld { drop() }
      // The lines before the first remaining commit belong to a dropped one.
      while isFull, held.first?.isCommit == false { drop() }
    }

    private mutating func drop() {
      let block = held.removeFirst()
      if block.isCommit { droppedCommits += 1 } else { droppedLines += block.lines.count }
    }

    var summary: String? {
      var parts: [String] = []
      for (count, what) in [(droppedCommits, "commit"), (droppedLines, "line")]
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

  /// Starts the report of another input.
  func begin() { end() }

  /// Reports lines that belong together.
  func add(_ lines: [String], isCommit: Bool = false) {
    let isTold = state.withLock { state in
      if isCommit { state.commits += 1 }
      if state.commits <= InputReport.first { return true }
      state.hold(Block(lines: lines, isCommit: isCommit))
      return false
    }
    if isTold { printLines(lines) }
  }

  private func printLines(_ lines: [String]) {
    let isHeld = state.withLock { state in
      state.waiting?.append(contentsOf: lines)
      return state.waiting != nil
    }
    if !isHeld { lines.forEach(output) }
  }

  /// Holds back all output until `letGo`.
  func holdBack() { state.withLock { $0.waiting = [] } }

  /// Reports or drops the output that was held back.
  func letGo(telling: Bool = true) {
    let lines = state.withLock { state in
      defer { state.waiting = nil }
      return state.waiting ?? []
    }
    if telling { lines.forEach(output) }
  }

  /// Reports the remaining blocks and resets the report.
  func end() {
    let lines = state.withLock { state in
      defer { state = State() }
      return (state.summary.map { [$0] } ?? []) + state.held.flatMap(\.lines)
    }
    lines.forEach(output)
  }
}

/// The errors while an input was played: the first and the last ones if there are many.
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
