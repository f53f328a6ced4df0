import Bench
import Foundation

/// A log whose cases are all open at the same time, replayed against a flow that asks for the time:
/// what a case came to does not follow from its events alone, so that each has a life of its own.
struct Interleaved {
  let command: String

  private static let flow = """
    state { begun = 0, latest = 0, by = "", longest = 0, count = 0 }
    action.begin { by = optional(string) }
    action.work { by = optional(string) }
    action.finish {}
    function reduce.begin(s, a)
      s.begun, s.latest, s.by = now(), now(), a.by or "nobody"
    end
    function reduce.work(s, a)
      s.longest = math.max(s.longest, now() - s.latest)
      s.latest, s.by, s.count = now(), a.by or "nobody", s.count + 1
    end
    machine.task {
      initial = "new",
      new = { begin = "open" },
      open = { work = "open", finish = "done" },
      done = { final = true },
    }
    function gate.finish(s)
      return now() - s.begun >= 60, "it was too quick"
    end
    function invariant.counted(s) return s.count <= 100, "too much work" end
    """

  /// Events of each case.
  private static let events = 12

  func measure(_ report: inout BenchmarkReport) throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "moonlatch-scale-\(ProcessInfo.processInfo.processIdentifier)")
    let files = folder.appending(path: "logs")
    try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data(Interleaved.flow.utf8).write(to: files.appending(path: "task.lua"))
    let (few, many) = (100, 2_100)
    func replay(_ cases: Int) throws -> Program {
      let log = "log-\(cases).csv"
      try Data(text(cases: cases).utf8).write(to: files.appending(path: log))
      return Program(
        [
          command, "replay", "task.lua", log, "--case", "case", "--action", "action",
          "--time", "time", "--interleaved",
        ], in: files, says: "\(cases * Interleaved.events) rows:")
    }
    let (less, more) = try (replay(few), replay(many))
    let bytes = try (more.peak() - less.peak()) * 1_048_576 / Double(many - few)
    let seconds = try min(more.seconds(), more.seconds())
    report.title("\(many) open cases, \(Interleaved.events) events each, of a flow that asks now()")
    report.target("memory of a case", bytes / 1_000, atMost: 8, "KB")
    report.figure("events", Double(many * Interleaved.events) / seconds, "events/s")
  }

  /// One event of each case after the other.
  private func text(cases: Int) -> String {
    var text = "case,action,by,time\n"
    for event in 0..<Interleaved.events {
      let action = event == 0 ? "begin" : event == Interleaved.events - 1 ? "finish" : "work"
      for number in 0..<cases {
        let time = 1_700_000_000 + event * 100 + number % 97
        text += "case-\(number),\(action),person \((number + event) % 31),\(time)\n"
      }
    }
    return text
  }
}
