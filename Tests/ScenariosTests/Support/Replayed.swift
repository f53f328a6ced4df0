import FlowKernel
import Platform

@testable import Scenarios

/// Returns bytes a few at a time, as `read` may.
func source(_ bytes: some Sequence<UInt8>, block: Int = 7) -> LogSource {
  var rest = Array(bytes)[...]
  return { buffer in
    let next = rest.prefix(min(block, buffer.count))
    buffer.copyBytes(from: next)
    rest = rest.dropFirst(next.count)
    return next.count
  }
}

/// The output of the replay of a log, in a form that a test can compare.
struct Replayed: Equatable {
  /// The columns of `Replayed.header`.
  static let header = "case,do,at,amount,note\n"

  /// The report.
  var report = ""
  /// Events as the stream has them, deviations as CSV has them.
  var lines: [String] = []
  /// The output of scripts, and its position among the events.
  var printed: [String] = []
  var summary = ReplaySummary()

  static func == (one: Replayed, other: Replayed) -> Bool {
    one.report == other.report && one.lines == other.lines && one.printed == other.printed
  }

  init(
    _ log: String, flow: String, block: Int = 1 << 16,
    _ change: (inout Replay.Options) -> Void = { _ in }
  ) throws {
    var options = Replay.Options()
    (options.caseColumn, options.actionColumn, options.timeColumn) = ("case", "do", "at")
    options.tellsPassed = true
    change(&options)
    let printed = Mutex<[String]>([])
    var lines: [String] = []
    let replay = try Replay(
      LoadedFlow(source: flow), options: options, log: .text(source(log.utf8, block: block))
    ) { line in
      printed.withLock { $0.append(line) }
    } observe: { event in
      lines.append(ReplayStream.line(for: event) + "\(printed.withLock { $0.count }) printed")
      if case .played(let played) = event, let deviation = played.deviation {
        lines.append(DeviationsCSV.row(deviation))
      }
    }
    summary = try replay.run()
    report = ReplayText(summary).text
    (self.lines, self.printed) = (lines, printed.withLock { $0 })
  }

  /// The two lines of counts.
  var counts: String { report.split(separator: "\n").prefix(2).joined(separator: "\n") }
}

/// Random-looking numbers that are the same in every run.
struct Dice {
  private var state: UInt64

  init(_ seed: Int) { state = UInt64(seed) &* 0x9e37_79b9_7f4a_7c15 &+ 1 }

  mutating func roll(_ sides: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(state >> 33) % sides
  }

  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[roll(elements.count)] }
}
