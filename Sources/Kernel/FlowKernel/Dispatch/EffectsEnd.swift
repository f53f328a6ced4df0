/// Somebody who waits for the end of the effects that a transition has started.
///
/// Each of them holds this. When the last one has ended, however it ended, nothing does any more, and
/// that is the end: nobody counts, and no effect that ends is compared with all who wait.
///
/// It belongs to the engine's thread.
package final class EffectsEnd {
  /// Those for whom the end has come, in order.
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
