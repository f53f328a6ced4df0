import Bench
import Foundation

/// A page of the documentation that shows the table between two comments, or the rows of it that
/// matter most.
struct Page: Sendable {
  let file: URL
  /// The text between the comments.
  private let text: @Sendable (Table) -> String

  static let all = [
    Page(file: root.appending(path: "Sources/Programs/Moonlatch/Moonlatch.docc/Speed.md")) {
      table in
      let peers = table.peers.all.compactMap(\.version)
      let missing = table.peers.all.compactMap(\.fault).map { "\n\nNot compared with: \($0)." }
      let misses = table.rows.count { $0.passes == false }
      return """
        All figures are from one run on \(table.machine).\(
          peers.isEmpty ? "" : " Against \(peers.joined(separator: ", ")).")
        \(misses == 0 ? "All limits are met." : "\(misses) figures miss their limit: MISS.")

        \(markdown(Row.titles, table.rows.filter { !$0.isSkipped }.map(\.cells)))\(missing.joined())
        """
    },
    Page(file: root.appending(path: "README.md")) { table in
      let rows = table.rows.filter { $0.inReadme && !$0.isSkipped }.map {
        Array($0.cells.prefix(Row.readmeCells))
      }
      return """
        One run of `./scripts/bench table` on \(table.processor), the fastest of many rounds:

        \(markdown(Array(Row.titles.prefix(Row.readmeCells)), rows))
        """
    },
  ]

  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private static let (begin, end) = (
    "<!-- written by scripts/bench table --page -->\n", "\n<!-- end of what is written -->\n"
  )

  private static func markdown(_ titles: [String], _ rows: [[String]]) -> String {
    ([titles, titles.map { _ in "---" }] + rows)
      .map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n")
  }

  /// Puts the figures in the place of those that stand there.
  func write(_ table: Table) throws {
    var page = try String(contentsOf: file, encoding: .utf8)
    guard let begin = page.firstRange(of: Page.begin),
      let end = page[begin.upperBound...].firstRange(of: Page.end)
    else { throw WrongResult("\(file.path) does not say where its figures go") }
    page.replaceSubrange(begin.upperBound..<end.lowerBound, with: "\n" + text(table) + "\n")
    try page.write(to: file, atomically: true, encoding: .utf8)
  }
}
