import Foundation
import Testing

/// Options that name an output file: none overwrites a foreign file or an input, or writes through
/// a link.
@Suite struct OutputFilesTests {
  private let folder: TemporaryFolder
  private static let log =
    "case:concept:name,concept:name,time:timestamp,amount\na,coin,2020-01-01,1\n"

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(turnstile, to: "flow.lua")
    try folder.write(
      "flow \"flow.lua\"\nscenario(\"a\", function() pass.coin { amount = 1 } end)\n",
      to: "a.scenario.lua")
    try folder.write(OutputFilesTests.log, to: "log.csv")
  }

  private static let writers: [[String]] =
    ["text", "jsonl", "junit", "tap", "html", "github"].map {
      ["run", "a.scenario.lua", "--report", "\($0)=NAME"]
    } + [
      ["replay", "flow.lua", "log.csv", "--deviations", "NAME"],
      ["replay", "flow.lua", "log.csv", "--report", "jsonl=NAME"],
      ["replay", "flow.lua", "log.csv", "--scenario", "a", "--into", "NAME.scenario.lua"],
      ["graph", "flow.lua", "--format", "dot", "-o", "NAME"],
      ["graph", "flow.lua", "--format", "mermaid", "-o", "NAME"],
    ]

  private func run(_ writer: [String], _ name: String) throws -> (code: Int32, errors: String) {
    let arguments = writer.map { $0.replacing("NAME", with: name) }
    let ran = try moonlatch(arguments, in: folder, input: Data())
    return (ran.code, ran.errors)
  }

  @Test("each command creates a new file, and overwrites its own", arguments: writers)
  func again(writer: [String]) throws {
    for _ in 0..<2 {
      let ran = try run(writer, "new")
      #expect(ran.code == 0, "\(ran.errors)")
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(!names.contains { $0.hasPrefix(".moonlatch-") })
  }

  @Test(
    "a signal that ends a command leaves no temporary file",
    arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXFSZ])
  func ended(signal: Int32) throws {
    // A log that does not come: the report is begun, and never whole.
    let pipe = folder.url.appending(path: "pipe").path
    #expect(mkfifo(pipe, 0o600) == 0)
    let child = try ChildProcess(
      ["replay", "flow.lua", "-", "--report", "jsonl=new"], in: folder.url,
      streams: [
        ChildProcess.Stream(path: pipe, flags: O_RDWR), .writing("/dev/null"),
        .writing("/dev/null"),
      ])
    while try !unfinished.contains(where: { $0.hasPrefix(".moonlatch-") }) { usleep(1_000) }
    child.signal(signal)
    #expect(child.wait() == 128 + signal)
    #expect(try unfinished.isEmpty)
  }

  private var unfinished: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        .filter { $0.hasPrefix(".moonlatch-") || $0 == "new" }
    }
  }

  @Test("a file that another program wrote is not overwritten", arguments: writers)
  func foreign(writer: [String]) throws {
    for name in ["own", "own.scenario.lua"] { try folder.write("somebody's\n", to: name) }
    let ran = try run(writer, "own")
    #expect(ran.code != 0)
    #expect(ran.errors.contains("exists already, and was not written by this command"))
    for name in ["own", "own.scenario.lua"] { #expect(try folder.text(of: name) == "somebody's\n") }
  }

  @Test("no output is written through a link", arguments: writers)
  func link(writer: [String]) throws {
    try folder.write("", to: "target")
    for name in ["link", "link.scenario.lua"] { try folder.link(name, to: "target") }
    let ran = try run(writer, "link")
    #expect(ran.code != 0)
    #expect(ran.errors.contains("is a link, and files are not written through links"))
    #expect(try folder.text(of: "target").isEmpty)
  }

  @Test("an input of the same command is not overwritten, even if it otherwise could be")
  func input() throws {
    #expect(
      try run(["replay", "flow.lua", "log.csv", "--deviations", "NAME"], "log.csv").code == 2)
    #expect(try folder.text(of: "log.csv") == OutputFilesTests.log)
    _ = try run(["run", "--report", "jsonl=NAME"], "times.jsonl")
    let before = try folder.text(of: "times.jsonl")
    let ran = try moonlatch(
      "run", "--shard", "1/1", "--timings", "times.jsonl", "--report", "jsonl=times.jsonl",
      in: folder)
    #expect(ran.code == 64)
    #expect(ran.errors.contains("is read or written by this command too"))
    #expect(try folder.text(of: "times.jsonl") == before)
    let twice = try moonlatch("run", "--report", "tap=x", "--report", "html=x", in: folder)
    #expect(twice.errors.contains("is read or written by this command too"))
  }

  @Test("only a regular file is read as input", arguments: ["pipe", "zero"])
  func reading(name: String) throws {
    if name == "pipe" {
      try #require(mkfifo(folder.url.appending(path: name).path, 0o600) == 0)
    } else {
      try folder.link(name, to: "/dev/zero")
    }
    try folder.link("\(name).scenario.lua", to: name)
    for arguments in [
      ["run", "\(name).scenario.lua"], ["replay", "flow.lua", name], ["replay", name, "log.csv"],
      ["replay", "flow.lua", "log.csv", "--map", name], ["check", name], ["graph", name],
      ["report", "text", name], ["repl", name], ["run", "--shard", "1/2", "--timings", name],
    ] {
      let ran = try moonlatch(arguments, in: folder, input: Data())
      #expect(ran.code == 2, "\(arguments)")
      #expect((ran.output + ran.errors).contains("only regular files are read"), "\(arguments)")
    }
    let ran = try moonlatch(
      ["repl", "flow.lua"], in: folder, input: Data(":load \(name)\n".utf8))
    #expect(ran.errors.contains("only regular files are read"))
  }
}
