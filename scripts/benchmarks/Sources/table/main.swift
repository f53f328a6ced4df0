import Bench

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
  for peer in table.peers.all {
    guard let fault = peer.fault else { continue }
    // A peer that is not installed is skipped; one that is installed and fails hides its limits.
    if peer.isInstalled {
      report.unmeasured(peer.name, fault)
    } else {
      print("  skipped: \(fault)")
    }
  }
  if settings.writesPages {
    for page in Page.all {
      try page.write(table)
      print("\nwritten: \(page.file.path)")
    }
  }
}
