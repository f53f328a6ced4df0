import Foundation

/// The lines of one run: figures, and targets with PASS or MISS.
struct Report {
  private(set) var misses = 0

  func title(_ text: String) {
    print("\n\(text)")
  }

  /// A figure for information.
  func figure(_ name: String, _ value: Double, _ unit: String) {
    print("  \(pad(name)) \(number(value)) \(unit)")
  }

  /// A figure that has to be at least, or at most, so much.
  mutating func target(_ name: String, _ value: Double, atLeast: Double, _ unit: String = "times") {
    judge(name, value, "at least \(number(atLeast, 0))", unit, passes: value >= atLeast)
  }

  mutating func target(_ name: String, _ value: Double, atMost: Double, _ unit: String = "times") {
    judge(name, value, "at most \(number(atMost, 0))", unit, passes: value <= atMost)
  }

  /// A figure that is good to know the direction of, but no target.
  func guide(_ name: String, _ value: Double, atMost: Double, _ unit: String) {
    let verdict = value <= atMost ? "within" : "outside"
    print(
      "  \(pad(name)) \(number(value)) \(unit)  (guide: at most \(number(atMost, 0)); \(verdict))")
  }

  /// A target that this machine could not judge just now.
  ///
  /// It counts as missed.
  mutating func unmeasured(_ name: String, _ why: String) {
    misses += 1
    print("  \(pad(name))   not measured: \(why)  MISS")
  }

  private mutating func judge(
    _ name: String, _ value: Double, _ target: String, _ unit: String, passes: Bool
  ) {
    if !passes { misses += 1 }
    print("  \(pad(name)) \(number(value)) \(unit)  target: \(target)  \(passes ? "PASS" : "MISS")")
  }

  private func pad(_ name: String) -> String {
    name.padding(toLength: 52, withPad: " ", startingAt: 0)
  }

  private func number(_ value: Double, _ places: Int = 1) -> String {
    let text = String(format: "%.\(places)f", value)
    return String(repeating: " ", count: max(0, (places == 0 ? 0 : 10) - text.count)) + text
  }
}
