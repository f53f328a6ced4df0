import Foundation

/// The lines of one run: figures, and targets with PASS or MISS.
public struct BenchmarkReport {
  /// How many targets were missed.
  public private(set) var misses = 0

  /// Makes a report without lines.
  public init() {}

  /// Prints the title of the lines that follow.
  public func title(_ text: String) {
    print("\n\(text)")
  }

  /// A figure for information.
  public func figure(_ name: String, _ value: Double, _ unit: String) {
    print("  \(pad(name)) \(column(value)) \(unit)")
  }

  /// A figure that has to be at least so much.
  public mutating func target(
    _ name: String, _ value: Double, atLeast: Double, _ unit: String = "times"
  ) {
    judge(name, value, "at least \(number(atLeast))", unit, passes: value >= atLeast)
  }

  /// A figure that has to be at most so much.
  public mutating func target(
    _ name: String, _ value: Double, atMost: Double, _ unit: String = "times"
  ) {
    judge(name, value, "at most \(number(atMost))", unit, passes: value <= atMost)
  }

  /// A figure that is good to know the direction of, but no target.
  public func guide(_ name: String, _ value: Double, atMost: Double, _ unit: String) {
    let verdict = value <= atMost ? "within" : "outside"
    print(
      "  \(pad(name)) \(column(value)) \(unit)  (guide: at most \(number(atMost)); \(verdict))")
  }

  /// A target that this machine could not judge just now.
  ///
  /// It counts as missed.
  public mutating func unmeasured(_ name: String, _ why: String) {
    misses += 1
    print("  \(pad(name))   not measured: \(why)  MISS")
  }

  /// A table, of which each row says whether it passes; nil where there is nothing to judge.
  public mutating func table(titles: [String], _ rows: [(cells: [String], passes: Bool?)]) {
    let lines = [titles] + rows.map(\.cells)
    let widths = titles.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
    for line in lines {
      let cells = zip(line, widths).map { $0.padding(toLength: $1, withPad: " ", startingAt: 0) }
      print("  " + cells.joined(separator: "  "))
    }
    misses += rows.count { $0.passes == false }
  }

  /// Ends the program: with exit code 1 if a target was missed and `--check` was given.
  public func finish() -> Never {
    exit(misses > 0 && CommandLine.arguments.contains("--check") ? 1 : 0)
  }

  private mutating func judge(
    _ name: String, _ value: Double, _ target: String, _ unit: String, passes: Bool
  ) {
    if !passes { misses += 1 }
    print("  \(pad(name)) \(column(value)) \(unit)  target: \(target)  \(passes ? "PASS" : "MISS")")
  }

  private func pad(_ name: String) -> String {
    name.padding(toLength: max(52, name.count), withPad: " ", startingAt: 0)
  }

  private func column(_ value: Double) -> String {
    let text = String(format: abs(value) < 100 ? "%.2f" : "%.0f", value)
    return String(repeating: " ", count: max(0, 10 - text.count)) + text
  }

  private func number(_ value: Double) -> String { String(format: "%g", value) }
}
