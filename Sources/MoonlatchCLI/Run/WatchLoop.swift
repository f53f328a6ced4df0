import ArgumentParser
import Moonlatch
import Platform

/// `--watch`: runs again what a changed file affects, until it is interrupted.
struct WatchLoop {
  /// What tells one state of a file from another.
  private struct Stamp: Equatable {
    let seconds: Int
    let nanoseconds: Int
    let size: Int
    let inode: UInt64
  }

  let session: RunSession

  func run() throws -> ExitCode {
    Interrupts.watch()
    var last = try run(session.paths)
    while Interrupts.signal == 0 {
      let watched = Affected(session.selection)
      let before = stamps(watched)
      say("watching \(before.count) files; Ctrl-C ends")
      guard let changed = waitForChange(since: before) else { break }
      let affected = Affected(session.selection).scenarioFiles(touchedBy: changed, before: watched)
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

  private func stamps(_ watched: Affected) -> [String: Stamp] {
    var stamps: [String: Stamp] = [:]
    for path in watched.files { if let stamp = stamp(path) { stamps[path] = stamp } }
    return stamps
  }

  private func stamp(_ path: String) -> Stamp? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    #if canImport(Darwin)
      let time = status.st_mtimespec
    #else
      let time = status.st_mtim
    #endif
    return Stamp(
      seconds: time.tv_sec, nanoseconds: time.tv_nsec, size: Int(status.st_size),
      inode: UInt64(status.st_ino))
  }

  /// The files that were changed, taken away or added; nil when interrupted.
  private func waitForChange(since before: [String: Stamp]) -> Set<String>? {
    while Interrupts.signal == 0 {
      usleep(200_000)
      var changed: Set<String> = []
      for (path, old) in before where stamp(path) != old { changed.insert(path) }
      for item in session.selection.items where before[item.name] == nil {
        if stamp(item.name) != nil { changed.insert(item.name) }
      }
      // An editor may write in several steps: what it leaves counts.
      if !changed.isEmpty {
        usleep(50_000)
        return changed
      }
    }
    return nil
  }
}
