import Synchronization

/// What scripts printed during one scenario, kept until it is reported.
final class PrintedLines: Sendable {
  private let kept = Mutex<[String]>([])

  func add(_ line: String) { kept.withLock { $0.append(line) } }

  var lines: [String] { kept.withLock { $0 } }
}
