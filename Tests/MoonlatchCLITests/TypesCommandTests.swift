import Foundation
import Testing

/// `moonlatch types`, and luacheck on its output.
@Suite struct TypesCommandTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let examples = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "examples")

  private static let names = [
    "elevator", "fines", "loader", "oauth-device", "session", "tcp", "turnstile",
  ]

  private static let hasLuacheck = (ProcessInfo.processInfo.environment["PATH"] ?? "")
    .split(separator: ":")
    .contains { FileManager.default.isExecutableFile(atPath: "\($0)/luacheck") }

  /// Runs luacheck on the folder, and returns its output and exit code.
  private func luacheck(_ name: String) throws -> (code: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["luacheck", "--no-color", "--no-cache", "."]
    process.currentDirectoryURL = folder.url.appending(path: name)
    let output = folder.url.appending(path: "luacheck.txt")
    try Data().write(to: output)
    process.standardOutput = try FileHandle(forWritingTo: output)
    try process.run()
    process.waitUntilExit()
    return (process.terminationStatus, try folder.text(of: "luacheck.txt"))
  }

  @Test("the generated files are written beside the flow and listed by name")
  func files() throws {
    try folder.write(turnstile, to: "flows/turnstile.lua")
    let ran = try moonlatch("types", "flows/turnstile.lua", in: folder)
    #expect(
      ran
        == Ran(
          code: 0,
          output: """
            flows/.moonlatch/library/moonlatch.lua
            flows/.moonlatch/library/flows/turnstile.lua
            flows/.luarc.json
            flows/.luacheckrc

            """, errors: ""))
    #expect(
      try folder.text(of: "flows/.moonlatch/library/flows/turnstile.lua")
        .contains("---@field amount integer an integer of at least 1"))
    let settings =
      try JSONSerialization.jsonObject(
        with: Data(try folder.text(of: "flows/.luarc.json").utf8)) as? [String: Any]
    #expect(settings?["workspace.library"] as? [String] == [".moonlatch/library"])
    #expect(try moonlatch("types", "flows", in: folder) == ran)
    let elsewhere = try moonlatch("types", "flows", "--output", "editor", in: folder)
    #expect(elsewhere.output.hasPrefix("editor/.moonlatch/library/moonlatch.lua\n"))
  }

  @Test("a user's own settings are left unchanged, with a message")
  func kept() throws {
    try folder.write(turnstile, to: "turnstile.lua")
    try folder.write("{}", to: ".luarc.json")
    try folder.write("std = 'max'", to: ".luacheckrc")
    let ran = try moonlatch("types", in: folder)
    #expect(ran.code == 0)
    #expect(
      ran.errors == """
        moonlatch: .luarc.json is your own file, and was not changed
        moonlatch: .luacheckrc is your own file, and was not changed

        """)
    #expect(try folder.text(of: ".luarc.json") == "{}")
  }

  @Test("luacheck has no findings in the examples", .enabled(if: hasLuacheck), arguments: names)
  func examples(name: String) throws {
    try FileManager.default.copyItem(
      at: Self.examples.appending(path: name), to: folder.url.appending(path: name))
    #expect(try moonlatch("types", name, in: folder).code == 0)
    let checked = try luacheck(name)
    #expect(checked.code == 0, "\(checked.output)")
  }

  @Test(
    "luacheck finds a mistyped action and an unknown global", .enabled(if: hasLuacheck))
  func mistyped() throws {
    try folder.write(turnstile, to: "flow/turnstile.lua")
    #expect(try moonlatch("types", "flow", in: folder).code == 0)
    try folder.write(
      turnstile + "\nfunction effect.coin()\n  dispatch.psuh()\n  os.exit()\nend\n"
        + "function reduce.psuh() end\n", to: "flow/turnstile.lua")
    let checked = try luacheck("flow")
    #expect(checked.code == 1)
    #expect(checked.output.contains("accessing undefined field 'psuh' of global 'dispatch'"))
    #expect(checked.output.contains("accessing undefined variable 'os'"))
    #expect(checked.output.contains("setting undefined field 'psuh' of global 'reduce'"))
    #expect(checked.output.contains("Total: 3 warnings"))
  }

  @Test("no flow, several folders, a faulty flow and an unwritable folder are errors")
  func failures() throws {
    #expect(
      try moonlatch("types", in: folder)
        == Ran(code: 4, output: "", errors: "moonlatch: there is no flow in .\n"))
    #expect(try moonlatch("types", "no.lua", in: folder).code == 2)
    try folder.write(turnstile, to: "a/a.lua")
    try folder.write(turnstile, to: "b/b.lua")
    let several = try moonlatch("types", in: folder)
    #expect(several.code == 64)
    #expect(several.errors.contains("name the one that the editor opens with --output"))
    #expect(try moonlatch("types", "-o", ".", in: folder).code == 0)
    try folder.write(turnstile, to: "d/a.lua")
    let alike = try moonlatch("types", "a", "d", "-o", ".", in: folder)
    #expect(alike.code == 64)
    #expect(alike.errors.contains("two flows are named a.lua"))
    try folder.write("action.x {", to: "c/c.lua")
    let faulty = try moonlatch("types", "c", in: folder)
    #expect(faulty.code == 2)
    #expect(faulty.errors.hasPrefix("c/c.lua:1: "))
    let blocked = try moonlatch("types", "a", "-o", "a/a.lua/x", in: folder)
    #expect(blocked.code == 3)
    #expect(blocked.errors.hasPrefix("moonlatch: the folder of a/a.lua/x/.moonlatch/library/"))
  }
}
