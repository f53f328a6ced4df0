import Foundation

/// Lines of a table whose first column is text and whose others are figures.
struct Report {
  private(set) var missed = false

  func heading(_ title: String, _ columns: String...) {
    print()
    line(title, columns)
  }

  func line(_ name: String, _ cells: [String]) {
    let text = cells.map { String(repeating: " ", count: max(0, 12 - $0.count)) + $0 }.joined()
    print(name.padding(toLength: max(44, name.count), withPad: " ", startingAt: 0) + text)
  }

  func line(_ name: String, _ figures: Double...) {
    line(name, figures.map { String(format: "%.0f", $0) })
  }

  /// One target: a ratio, the most that it may be, and whether it is kept.
  mutating func target(_ name: String, _ ratio: Double, atMost limit: Double) {
    let kept = ratio <= limit
    if !kept { missed = true }
    line(name, [ratio, limit].map { String(format: "%.2f", $0) } + [kept ? "PASS" : "MISS"])
  }
}
