import ArgumentParser
import FlowKernel
import Platform
import SharedCommands

/// The option `--watch`, which runs the scenarios that a changed file affects, until it is interrupted.
struct WatchLoop {
  let session: RunSession

  func run() throws -> ExitCode {
    Interrupts.watch()
    var last = try run(session.paths)
    while Interrupts.signal == 0 {
      let watched = Affected(session.selection, limits: session.limits)
      let before = FileStamps(watched.files)
      say("watching \(before.count) files; Ctrl-C ends")
      let listed = { session.selection.items.map(\.name) }
      guard let changed = before.waitForChange(listed: listed) else { break }
      let affected = Affected(session.selection, limits: session.limits).scenarioFiles(
        touchedBy: changed, before: watched)
      for path in changed.sorted() { say("\(path) has changed") }
      if !affected.isEmpty { last = try run(affected) }
    }
    _ = last
    return ExitStatus.interrupted
  }

  private func run(_ paths: [String]) throws -> ExitCode {
    var session = session
    session.paths = paths
    return try session.runOnce()
  }

  private func say(_ text: String) { Terminal.writeError("moonlatch: \(text)\n") }
}
