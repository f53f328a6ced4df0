import Bench
import Foundation

/// How long the prompt takes to answer, and whether that depends on the size of the state. The
/// release build at a terminal; the least of many rounds that take turns.

let sizes = [10, 1_000, 100_000]
let rounds = 40

/// A list of records, one of which is toggled; the view reads none of them.
let flow = """
  state { items = list {}, toggles = 0 }
  action.fill { count = integer { min = 1 } }
  action.toggle { index = integer { min = 1 } }
  function reduce.fill(s, a)
    local items = s.items
    for i = #items + 1, #items + a.count do items[i] = { rank = i, done = false } end
  end
  function reduce.toggle(s, a)
    local item = s.items[a.index]
    item.done = not item.done
    s.toggles = s.toggles + 1
  end
  function view.toggles(s) return s.toggles end

  """
let readsAll = """
  function view.done(s)
    local done = 0
    for _, item in ipairs(s.items) do if item.done then done = done + 1 end end
    return done
  end

  """

let folder = FileManager.default.temporaryDirectory.appending(path: "moonlatch-bench-repl")
let command = ProcessInfo.processInfo.environment["MOONLATCH"] ?? ""

/// A prompt whose flow holds so many records.
func prompt(_ count: Int, readingAll: Bool = false) throws -> (Terminal, revision: Int) {
  let file = folder.appending(path: readingAll ? "all.lua" : "flow.lua")
  try Data((flow + (readingAll ? readsAll : "")).utf8).write(to: file)
  let terminal = try Terminal(command, ["repl", file.path])
  let name = readingAll ? "all" : "flow"
  try terminal.wait(for: "\(name)#0> ")
  try terminal.type(":set views off\r", until: "\(name)#0> ")
  var revision = 0
  for begin in stride(from: 0, to: count, by: 1_000) {
    revision += 1
    let input = "fill { count = \(min(1_000, count - begin)) }\r"
    try terminal.type(input, until: "\(name)#\(revision)> ")
  }
  try terminal.type(":set views on\r", until: "\(name)#\(revision)> ")
  return (terminal, revision)
}

func dispatches(_ count: Int, readingAll: Bool = false) throws -> Stopwatch.Candidate {
  var (terminal, revision) = try prompt(count, readingAll: readingAll)
  let name = readingAll ? "all" : "flow"
  return .init(name: "", count: 1) { _ in
    revision += 1
    try terminal.type("toggle { index = \(count) }\r", until: "\(name)#\(revision)> ")
  }
}

/// A key, and the letter that appears.
func keys(_ count: Int) throws -> Stopwatch.Candidate {
  let (terminal, _) = try prompt(count)
  return .init(name: "", count: 10) { times in
    for _ in 0..<times { try terminal.type("x", until: "x") }
    for _ in 0..<times { try terminal.type("\u{7f}", until: "\u{1b}[K") }
  }
}

/// An element of the list, its fields offered and its record shown.
func looks(_ count: Int) throws -> Stopwatch.Candidate {
  let (terminal, revision) = try prompt(count)
  return .init(name: "", count: 1) { _ in
    try terminal.type("s.items[\(count)].ra\t", until: "nk")
    try terminal.type("\r", until: "flow#\(revision)> ")
    try terminal.type("s\r", until: "flow#\(revision)> ")
  }
}

run { report in
  try WrongResult.unless(!command.isEmpty, "run it with scripts/bench repl")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  let candidates =
    try sizes.map { try dispatches($0) } + sizes.map { try keys($0) } + sizes.map { try looks($0) }
    + [try dispatches(1_000, readingAll: true), try dispatches(10_000, readingAll: true)]
  let best = try Stopwatch.best(of: candidates, rounds: rounds)

  report.title("From Enter to the prompt, a dispatch (the least of \(rounds))")
  for (size, time) in zip(sizes, best) { report.figure("\(size) records", time / 1000, "µs") }
  report.target("100,000 records to 10", best[2] / best[0], atMost: 1.5)
  report.title("A key until it is shown, and taken back")
  for (size, time) in zip(sizes, best[3...]) { report.figure("\(size) records", time / 1000, "µs") }
  report.target("100,000 records to 10", best[5] / best[3], atMost: 1.5)
  report.title("A completion, its value, and the state shown in part")
  for (size, time) in zip(sizes, best[6...]) { report.figure("\(size) records", time / 1000, "µs") }
  report.target("100,000 records to 10", best[8] / best[6], atMost: 2)
  report.title("A dispatch where a view reads every record (:set views off spares it)")
  report.figure("1000 records", best[9] / 1000, "µs")
  report.figure("10000 records", best[10] / 1000, "µs")
  report.guide("10,000 records, milliseconds", best[10] / 1e6, atMost: 100, "ms")
}
