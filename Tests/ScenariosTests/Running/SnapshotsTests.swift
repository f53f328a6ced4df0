import FlowLanguage
import Foundation
import LuaRuntime
import Testing

@testable import Scenarios

@Suite struct SnapshotsTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(Played.flow, to: "flow.lua")
  }

  private func play(_ body: String, _ policy: Snapshots.Policy = .keep) throws -> ScenarioRecord {
    try folder.write(
      "flow \"flow.lua\"\nscenario(\"it\", function()\n\(body)\nend)", to: "a.scenario.lua")
    var settings = PlaySettings()
    settings.snapshots = policy
    // A build for debugging takes its time over many megabytes.
    settings.limits.processorTime = .zero
    var records: [ScenarioRecord] = []
    _ = Runner(settings: settings).run(folder.select("a.scenario.lua")) {
      if case .ended(let record) = $0 { records.append(record) }
    }
    return try #require(records.first)
  }

  private func text(_ name: String) throws -> String {
    try TextFile.read(folder.url.appending(path: "snapshots/a/\(name).txt"), name: name)
  }

  @Test("a missing snapshot is written with a message, and holds the next time")
  func written() throws {
    let first = try play("pass.add() expect.snapshot(\"rows\", view.rows())")
    #expect(first.status == .passed)
    #expect(first.printed == ["wrote snapshots/a/rows.txt"])
    #expect(try text("rows") == "{ { id = 1, note = \"a\" }, { id = 2, note = \"b\" } }\n")
    #expect(try play("pass.add() expect.snapshot(\"rows\", view.rows())").printed.isEmpty)
  }

  @Test("a text with the start of another file format is compared unchanged")
  func beginnings() throws {
    let snapshots = Snapshots(
      file: folder.url.appending(path: "a.scenario.lua").path, name: "a", policy: .keep)
    for (number, text) in ["\u{1b}Lua", "\u{feff}a", "a\r", "a\r\n", "", "\n\n"].enumerated() {
      let first = snapshots.compare(text, with: "\(number)")
      #expect(first == .written(path: "snapshots/a/\(number).txt"), "\(text)")
      #expect(snapshots.compare(text, with: "\(number)") == .same, "\(text)")
    }
  }

  @Test("a map of numbers is stored as such in a snapshot")
  func maps() {
    #expect(SnapshotText.text(of: .map([7: "a"])) == "map { [7] = \"a\" }")
    let long = Value.string(String(repeating: "x", count: 60))
    #expect(SnapshotText.text(of: .map([7: long])) == "map {\n  [7] = \(long),\n}")
  }

  @Test("a different value fails with the differing lines, and update stores the new value")
  func differs() throws {
    _ = try play("expect.snapshot(\"n\", view.double())")
    let record = try play("pass.add() expect.snapshot(\"n\", view.double())")
    #expect(record.status == .failed)
    #expect(
      record.problem?.message
        == "snapshot n does not match (snapshots/a/n.txt; --update stores the current value)")
    #expect(record.problem?.mismatches == [Mismatch(path: "line 1", expected: "0", found: "2")])
    #expect(try play("pass.add() expect.snapshot(\"n\", view.double())", .update).status == .passed)
    #expect(try text("n") == "2\n")
  }

  @Test("in CI a missing snapshot fails, and nothing is written")
  func missing() throws {
    let record = try play("expect.snapshot(\"n\", 1)", .keepAll)
    #expect(record.problem?.message.hasPrefix("there is no snapshot n (snapshots/a/n.txt)") == true)
    #expect(TextFile.kind(of: folder.url.appending(path: "snapshots").path) == nil)
  }

  @Test("a scenario file has at most a thousand snapshots, and the error says so")
  func most() throws {
    let record = try play("for i = 1, 1e6 do expect.snapshot(\"n\" .. i, i) end")
    #expect(
      record.problem?.message.hasSuffix(
        "snapshots/a holds 1000 snapshots already, the limit of a scenario file") == true)
    let folder = folder.url.appending(path: "snapshots/a").path
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 1_000)
  }

  @Test("the size of a snapshot is limited, and so is that of a file's snapshots together")
  func bytes() throws {
    let long = try play("expect.snapshot(\"n\", (\"x\"):rep(5000000))")
    #expect(long.problem?.message.contains("would be larger than 4 MB") == true)
    let many = try play(
      "for i = 1, 20 do expect.snapshot(\"n\" .. i, (\"x\"):rep(3900000)) end")
    #expect(many.problem?.message.contains("snapshots/a would take more than 64 MB") == true)
  }

  @Test("the snapshots written by all files of a run are limited too")
  func room() {
    let room = Snapshots.Reservation(files: 2, bytes: 100)
    func compare(_ file: String, _ text: String) -> Snapshots.Verdict {
      let path = folder.url.appending(path: "\(file).scenario.lua").path
      return Snapshots(file: path, name: file, policy: .update, room: room)
        .compare(text, with: "n")
    }
    #expect(compare("a", "one") == .written(path: "snapshots/a/n.txt"))
    let long = compare("b", String(repeating: "x", count: 97))
    guard case .refused(let sentence) = long else {
      Issue.record("\(long), though there was room for 96 bytes")
      return
    }
    #expect(sentence.contains("the limit of one process of a run"))
    #expect(compare("b", "two") == .written(path: "snapshots/b/n.txt"))
    let third = compare("c", "three")
    if case .refused = third {} else { Issue.record("\(third), and two is the most") }
    #expect(compare("a", "one") == .same)
    #expect(TextFile.kind(of: folder.url.appending(path: "snapshots/c/n.txt").path) == nil)
  }

  @Test(
    "no snapshot is read or written through a link out of the scenario file's folder",
    arguments: ["snapshots", "snapshots/a", "snapshots/a/n.txt"], [true, false])
  func links(link: String, updates: Bool) throws {
    let other = try TemporaryFolder()
    try other.write("secret", to: "a/n.txt")
    try other.write("secret", to: "n.txt")
    let target =
      link == "snapshots"
      ? other.url.path
      : link == "snapshots/a"
        ? other.url.appending(path: "a").path : other.url.appending(path: "n.txt").path
    let path = folder.url.appending(path: link)
    try FileManager.default.createDirectory(
      at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: path.path, withDestinationPath: target)
    let record = try play("expect.snapshot(\"n\", 1)", updates ? .update : .keep)
    #expect(record.problem?.message.contains("is a link out of") == true)
    #expect(record.problem?.mismatches.isEmpty == true)
    for name in ["a/n.txt", "n.txt"] {
      #expect(
        try String(contentsOf: other.url.appending(path: name), encoding: .utf8) == "secret")
    }
  }

  @Test("a snapshot without a value stores the course of the scenario")
  func course() throws {
    let record = try play("pass.add { by = 2 } refuse.mute() expect.snapshot(\"course\")")
    #expect(record.status == .passed)
    #expect(
      try text("course") == """
        add { by = 2 }  passed (#1)
          n: 0 -> 2
        mute {}  gate mute gave no reason (flow.lua:32)

        """)
  }

  @Test("a large value has one line for each of its parts")
  func large() throws {
    _ = try play(
      "expect.snapshot(\"v\", { name = (\"x\"):rep(70), rows = { { a = (\"y\"):rep(60) }, 2 } })")
    #expect(
      try text("v") == """
        {
          name = "\(String(repeating: "x", count: 70))",
          rows = {
            {
              a = "\(String(repeating: "y", count: 60))",
            },
            2,
          },
        }

        """)
  }

  @Test("a name that is no valid file name is an error of the scenario")
  func names() throws {
    for name in ["", "a/b", "..", "a:b", "é"] {
      let record = try play("expect.snapshot(\"\(name)\", 1)")
      #expect(record.status == .broken)
      #expect(record.problem?.message.contains("the name of a snapshot has letters") == true)
    }
    #expect(try play("expect.snapshot(5)").problem?.message.contains("needs a name") == true)
  }
}
