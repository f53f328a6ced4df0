/// A wait for the end of the effects that a commit has started.
///
/// Each of the effects retains this object. When the last one has ended, however it ended, the object is released, and
/// its `deinit` is the end: nothing is counted, and an effect that ends is not compared with all waits.
///
/// It belongs to the engine's thread.
package final class EffectsEnd {
  /// The waits that are over, in order.
  package final class Line {
    fileprivate(set) var ended: [(since: Int, go: @Sendable () -> Void)] = []

    func takeAll() -> [(since: Int, go: @Sendable () -> Void)] {
      defer { ended = [] }
      return ended
    }
  }

  private let line: Line
  /// The number of the last message to subscribers before the wait began.
  private let since: Int
  private let go: @Sendable () -> Void

  package init(in line: Line, since: Int, _ go: @escaping @Sendable () -> Void) {
    (self.line, self.since, self.go) = (line, since, go)
  }

  deinit { line.ended.append((since, go)) }
}
