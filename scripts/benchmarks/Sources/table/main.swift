import Bench
import Foundation

// Every figure that Moonlatch is held to, beside that of what people would use instead, from one run.

run { report in
  let settings = try Settings(Array(CommandLine.arguments.dropFirst()))
  if let held = settings.hold {
    print("bytes", try held.bytes())
    return
  }
  if settings.collections {
    report.title("Flows of realistic size against plain Lua")
    report.table(titles: Row.titles, try Collecting().rows.map { ($0.cells, $0.passes) })
    return
  }
  let table = try Table(settings)
  report.title("Against what people would use instead, on \(table.machine)")
  report.table(titles: Row.titles, table.rows.map { ($0.cells, $0.passes) })
  for fault in table.faults { print("  skipped: \(fault)") }
  if let path = settings.page {
    try Page(table).text.write(to: URL(filePath: path), atomically: true, encoding: .utf8)
    print("\nwritten: \(path)")
  }
}
