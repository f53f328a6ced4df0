import Foundation
import Testing

/// `--live` of the program without a client for real calls.
@Suite struct LiveTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(
      "state { n = 0 } action.add {} function reduce.add(s) s.n = s.n + 1 end", to: "flow.lua")
    try folder.write(
      """
      flow "flow.lua"
      scenario("it adds", function() pass.add() end)
      scenario("it pays", { tags = { "live" } }, function() pass.add() end)
      """, to: "a.scenario.lua")
  }

  @Test("scenarios with the tag live are skipped without --live, and counted")
  func skipped() throws {
    #expect(
      try moonlatch("run", "a.scenario.lua", in: folder)
        == Ran(
          code: 0,
          output: """
            ok    a.scenario.lua:2  it adds
            skip  a.scenario.lua:3  it pays (tag live: --live makes its real calls)
            1 passed, 0 failed, 1 skipped

            """, errors: ""))
    let alone = try moonlatch("run", "a.scenario.lua:3", in: folder)
    #expect(alone.code == 0 && alone.output.hasSuffix("0 passed, 0 failed, 1 skipped\n"))
  }

  @Test(
    "without moonlatch-serve --live exits with 69 and says how to build it",
    arguments: [["run", "a.scenario.lua", "--live"], ["repl", "flow.lua", "--live"]])
  func noServeProgram(arguments: [String]) throws {
    // The same program in a folder where it is alone.
    let command = URL(filePath: ChildProcess.command).resolvingSymlinksInPath()
    let alone = command.deletingLastPathComponent().appending(path: "alone-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: alone, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: alone) }
    try FileManager.default.linkItem(at: command, to: alone.appending(path: "moonlatch"))
    try folder.write("", to: "in")
    let path = folder.url.path
    let child = try ChildProcess(
      arguments, in: folder.url,
      streams: [.reading(path + "/in"), .writing(path + "/out"), .writing(path + "/err")],
      command: alone.appending(path: "moonlatch").path)
    #expect(child.wait() == 69)
    let told = try folder.text(of: "err")
    #expect(told.hasPrefix("moonlatch: there is no moonlatch-serve in \(alone.path), which"))
    #expect(told.contains("makes real calls"))
  }

  @Test(
    "options of real calls without --live are errors",
    arguments: [
      (["run", "--host-file", "a"], "--host-file is only for --live."),
      (["run", "--allow-private"], "--allow-private is only for --live."),
      (["repl", "flow.lua", "--allow-private"], "--allow-private is only for --live."),
      (["run", "--allow-commands"], "--allow-commands is only for --live."),
      (["repl", "flow.lua", "--allow-commands"], "--allow-commands is only for --live."),
      (["repl", "--live"], "--live needs a flow's file"),
    ])
  func alone(arguments: [String], reason: String) throws {
    let ran = try moonlatch(arguments, in: folder, input: Data())
    #expect(ran.code == 64 && ran.errors.contains(reason), "\(ran)")
  }
}
