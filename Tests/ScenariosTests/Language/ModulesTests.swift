import Testing

@testable import Scenarios

/// `require` in scenario files.
@Suite struct ModulesTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(Played.flow, to: "flow.lua")
  }

  private func run(_ text: String, in path: String = "tests/door/a.scenario.lua") throws -> Played {
    let up = String(repeating: "../", count: path.split(separator: "/").count - 1)
    try folder.write("flow \"\(up)flow.lua\"\n" + text, to: path)
    return Played(folder.select(path))
  }

  @Test("a module is found beside the file, or above it up to the given folder")
  func found() throws {
    try folder.write("return { name = \"beside\" }", to: "tests/door/near_by.lua")
    try folder.write("return { name = \"above\" }", to: "tests/helpers.lua")
    try folder.write("return { name = ... }", to: "lib/deep.lua")
    let played = try run(
      """
      local beside, above, deep = require "near_by", require "helpers", require "lib.deep"
      scenario("it", function() print(beside.name, above.name, deep.name) end)
      """)
    #expect(played.printed == ["beside\tabove\tlib.deep"])
  }

  @Test("the nearest module is used, and runs once")
  func nearest() throws {
    try folder.write("return 1", to: "tests/helpers.lua")
    try folder.write("print(\"runs\") return 2", to: "tests/door/helpers.lua")
    let played = try run(
      """
      scenario("it", function()
        print(require "helpers", require "helpers")
      end)
      """)
    #expect(played.printed == ["runs", "2\t2"])
  }

  @Test("a module can use the words of scenarios, and its failures have its own line")
  func words() throws {
    try folder.write(
      """
      local helpers = {}
      function helpers.add_twice()
        pass.add()
        pass.add()
        expect { n = 3 }
      end
      before_each(function() pass.add() end)
      return helpers
      """, to: "helpers.lua")
    let text = """
      local helpers = require "helpers"
      scenario("fits", function() helpers.add_twice() end)
      scenario("does not", function() pass.add() helpers.add_twice() end)
      """
    #expect(
      try run(text).verdicts == [
        "ok fits",
        "FAIL helpers.lua:5: the state is not as expected | n: 3, found 4",
      ])
  }

  @Test("a missing or invalid module is an error at the line that requires it")
  func mistakes() throws {
    try folder.write("local x = = 1", to: "broken.lua")
    try folder.write("require \"round\"", to: "round.lua")
    try folder.write("scenario(\"s\", function() end)", to: "declares.lua")
    try folder.write("return 1", to: "outside/secret.lua")
    try folder.link("linked.lua", to: "/etc/hostname")
    for (name, message) in [
      ("nowhere", "module \"nowhere\": there is no nowhere.lua beside tests/door/a.scenario.lua"),
      ("broken", "broken.lua:1"), ("round", "module \"round\" requires itself"),
      ("declares", "a scenario must be in the scenario file itself"),
      ("../outside/secret", "module"), ("/etc/hostname", "module"), ("linked", "link"),
    ] {
      let told = try run("require \"\(name)\"").verdicts.joined()
      #expect(told.hasPrefix("UNLOADABLE") && told.contains(message), "\(name): \(told)")
    }
    #expect(try run("require(1)").verdicts.joined().contains("require needs the name of a module"))
  }

  @Test("a file knows the modules that it requires")
  func known() throws {
    try folder.write("return 1", to: "tests/helpers.lua")
    _ = try run("require \"helpers\"\nscenario(\"it\", function() end)")
    let item = folder.select("tests/door/a.scenario.lua").items[0]
    #expect(try ScenarioFile(item).modules == ["tests/helpers.lua"])
  }
}
