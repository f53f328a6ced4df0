import Bench
import Foundation
import Moonlatch

// The cost of SCXML documents: an event with a condition and an assignment, against the same in a flow's own language
// and, if it is installed, in Qt SCXML; reading a document of 1,000 states; starting a scenario on a document.
//
// The arguments are the moonlatch command and, where it could be built, the program that measures Qt SCXML.

private typealias Candidate = Stopwatch.Candidate

private let condition = "count &gt;= 0"
private let document = """
  <scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" name="flip" datamodel="lua" initial="left">
    <datamodel><data id="count" expr="0"/></datamodel>
    <state id="left">
      <transition event="flip" target="right" cond="\(condition)"><assign location="count" expr="count + 1"/></transition>
    </state>
    <state id="right">
      <transition event="flip" target="left" cond="\(condition)"><assign location="count" expr="count + 1"/></transition>
    </state>
  </scxml>
  """
private let flow = """
  state { count = 0 }
  action.flip {}
  machine.flip {
    initial = "left",
    left = { flip = "right" },
    right = { flip = "left" },
  }
  function gate.flip(s) return s.count >= 0 end
  function reduce.flip(s) s.count = s.count + 1 end
  """

/// A document of so many states, with a condition and an assignment each.
private func large(_ count: Int) -> String {
  var text = """
    <scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" datamodel="lua">
    <datamodel><data id="count" expr="0"/></datamodel>

    """
  for number in 0..<count {
    text += """
      <state id="s\(number)"><transition event="go" target="s\((number + 1) % count)" cond="\(condition)">\
      <assign location="count" expr="count + \(number)"/></transition></state>

      """
  }
  return text + "</scxml>\n"
}

private func flips(_ name: String, _ source: String, _ file: String) throws -> Candidate {
  let host = try FlowHost(
    source: source, name: file,
    options: HostOptions(clock: .virtual, print: { _ in }, report: { _ in }))
  return Candidate(name: name, count: 1_000) { count in
    let before = try host.state()["count"]?.integerValue ?? -1
    for _ in 0..<count { try host.dispatch("flip") }
    try WrongResult.unless(
      try host.state()["count"] == .integer(before + count), "\(name) has not counted")
  }
}

/// The nanoseconds that Qt takes for one event: the program prints them.
private func qt(_ program: String) throws -> Double {
  let file = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../table/Peers/flip.scxml").standardizedFileURL.path
  let (process, output) = (Process(), Pipe())
  process.executableURL = URL(filePath: program)
  process.arguments = [file]
  process.standardOutput = output
  try process.run()
  let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  process.waitUntilExit()
  guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("qt_scxml ") }),
    let figure = Double(line.dropFirst(9))
  else { throw WrongResult("\(program) has measured nothing") }
  return figure
}

private func starts(_ command: String, _ report: inout BenchmarkReport) throws {
  let folder = FileManager.default.temporaryDirectory
    .appending(path: "documents-\(ProcessInfo.processInfo.processIdentifier)/work")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder.deletingLastPathComponent()) }
  let scenario = "scenario(\"it flips\", function() pass.flip() expect { count = 1 } end)\n"
  for (name, text) in [("flip.scxml", document), ("flip.lua", flow)] {
    try Data(text.utf8).write(to: folder.appending(path: name))
    try Data("flow \"\(name)\"\n\(scenario)".utf8)
      .write(to: folder.appending(path: "\(name).scenario.lua"))
  }
  let programs = ["flip.scxml", "flip.lua"].map {
    Program([command, "run", "\($0).scenario.lua"], in: folder, says: "1 passed")
  }
  var times: [[Double]] = [[], []]
  for _ in 0..<60 {
    for (place, program) in programs.enumerated() { times[place].append(try program.seconds()) }
  }
  let medians = times.map { $0.sorted()[$0.count / 2] }
  report.title("start: one scenario of one step, whole process, medians of 60 in turns")
  report.figure("on a document", medians[0] * 1_000, "ms")
  report.figure("on a flow", medians[1] * 1_000, "ms")
  report.target("a document to a flow", medians[0] / medians[1], atMost: 1.1)
}

run { report in
  let arguments = CommandLine.arguments.dropFirst().filter { !$0.hasPrefix("-") }
  guard let command = arguments.first else {
    throw WrongResult("the first argument is the moonlatch command")
  }
  let text = large(1_000)
  let rounds = 100
  let times = try Stopwatch.best(
    of: [
      flips("a document", document, "flip.scxml"), flips("a flow", flow, "flip.lua"),
      Candidate(name: "a large document", count: 1) { count in
        for _ in 0..<count { _ = try LoadedFlow(source: text, name: "large.scxml") }
      },
    ], rounds: rounds)

  report.title("An event with a condition and an assignment: the least of \(rounds) rounds")
  report.figure("a document of lua", times[0], "ns")
  report.figure("a flow that does the same", times[1], "ns")
  report.target("a document of lua", times[0] / 1_000, atMost: 6, "us")
  report.figure("a document to a flow", times[0] / times[1], "times")
  if arguments.count > 1, let program = arguments.last {
    let peer = try qt(program)
    report.figure("Qt SCXML", peer, "ns")
    report.target("Qt SCXML to a document of lua", peer / times[0], atLeast: 2.9)
  }

  report.title("Reading a document of 1,000 states with a condition and an assignment each")
  report.target("reading it", times[2] / 1e6, atMost: 50, "ms")

  try starts(command, &report)
}
