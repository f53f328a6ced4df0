import Foundation
import Testing

/// `moonlatch new`: its files pass at once, and existing files are left alone.
@Suite struct NewCommandTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(
    "a new flow runs, checks, draws and has definitions",
    arguments: ["door", "flows/my-door_2"])
  func passes(path: String) throws {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let made = try moonlatch("new", path, in: folder)
    #expect(made.code == 0)
    #expect(
      made.output == """
        \(path)/\(name).lua
        \(path)/\(name).scenario.lua
        \(path)/README.md
        \(path)/.moonlatch/library/moonlatch.lua
        \(path)/.moonlatch/library/flows/\(name).lua
        \(path)/.luarc.json
        \(path)/.luacheckrc

        """)
    #expect(made.errors.contains("  moonlatch repl \(path)/\(name).lua\n"))
    let ran = try moonlatch("run", path, in: folder)
    #expect(ran.code == 0)
    #expect(ran.output.contains("4 passed, 0 failed"))
    let checked = try moonlatch("check", "--strict", path, in: folder)
    #expect(checked == Ran(code: 0, output: "2 files: 0 errors, 0 warnings\n", errors: ""))
    #expect(try moonlatch("graph", "\(path)/\(name).lua", in: folder).code == 0)
    let before = try folder.text(of: "\(path)/.moonlatch/library/flows/\(name).lua")
    let types = try moonlatch("types", path, in: folder)
    #expect(types.code == 0)
    #expect(types.errors.isEmpty)
    #expect(try folder.text(of: "\(path)/.moonlatch/library/flows/\(name).lua") == before)
    #expect(try folder.text(of: "\(path)/README.md").hasPrefix("# \(name)\n"))
  }

  @Test(
    "each template passes its scenarios and all checks, whatever its name",
    arguments: [
      ("blank", "count"), ("machine", "ticket-desk"), ("machine", "end"), ("durable", "3d"),
      ("durable", "cents"), ("game", "players"), ("game", "s"),
    ])
  func templates(template: String, name: String) throws {
    #expect(try moonlatch("new", name, "--template", template, in: folder).code == 0)
    let ran = try moonlatch("run", name, in: folder)
    #expect(ran.code == 0, "\(ran.output)")
    let checked = try moonlatch("check", "--strict", "--durable", name, in: folder)
    #expect(checked == Ran(code: 0, output: "2 files: 0 errors, 0 warnings\n", errors: ""))
    let explored = try moonlatch(
      "explore", "--max-states", "200", "\(name)/\(name).lua", in: folder)
    #expect(explored.code == 0 || explored.code == 6, "\(explored.output)")
  }

  @Test("an unknown template is wrong usage, and names the known ones")
  func unknownTemplate() throws {
    let ran = try moonlatch("new", "door", "--template", "dor", in: folder)
    #expect(ran.code == 64)
    #expect(ran.errors.contains("machine"))
  }

  @Test("new fills an empty folder, and leaves a folder with files untouched")
  func present() throws {
    try folder.makeFolder("empty")
    #expect(try moonlatch("new", "empty/", in: folder).code == 0)
    let again = try moonlatch("new", "empty", in: folder)
    #expect(again.code == 64)
    #expect(again.output.isEmpty)
    #expect(again.errors.contains("empty exists and is not empty"))
    try folder.write("", to: "file")
    #expect(
      try moonlatch("new", "file", in: folder).errors.contains(
        "file exists and is a file"))
  }

  @Test(
    "a name that no class or file can have is a usage error",
    arguments: ["a b", "dör", "a.b", "..", "/"])
  func names(name: String) throws {
    let ran = try moonlatch("new", name, in: folder)
    #expect(ran.code == 64)
    #expect(ran.errors.contains("letters, digits, _ and - only"))
  }

  @Test("a folder that cannot be created is an error")
  func blocked() throws {
    try folder.write("", to: "file")
    let ran = try moonlatch("new", "file/door", in: folder)
    #expect(ran.code == 3)
    #expect(ran.errors == "moonlatch: the folder of file/door/door.lua cannot be created\n")
  }
}
