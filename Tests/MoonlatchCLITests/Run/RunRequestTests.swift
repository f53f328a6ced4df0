import Testing

@testable import MoonlatchCLI

@Suite struct RunRequestTests {
  @Test("a command line of run and paths is read without the parser")
  func plain() {
    #expect(RunRequest(plain: ["run"])?.paths == ["."])
    #expect(RunRequest(plain: ["run", "a", "b:3"])?.paths == ["a", "b:3"])
  }

  @Test(
    "any other command line is left to the parser",
    arguments: [
      [], ["check"], ["check", "run"], ["run", "-q"], ["run", "a", "--list"], ["run", "--", "a"],
      ["run", "-"], ["run", ""], ["--help"], ["help", "run"],
    ])
  func others(arguments: [String]) {
    #expect(RunRequest(plain: arguments) == nil)
  }

  @Test(
    "a run has the same output and exit code with and without the parser",
    arguments: [
      [], ["fine.scenario.lua"], ["fine.scenario.lua:2"], ["fine.scenario.lua:1"],
      ["fails.scenario.lua"], ["raises.scenario.lua"], ["broken.scenario.lua"], ["nowhere"],
      ["fine.scenari.lua"], ["empty"], ["fine.scenario.lua", "fails.scenario.lua"], ["*.lua"],
      ["flow.lua"],
    ])
  func same(paths: [String]) throws {
    let folder = try TemporaryFolder()
    try folder.write("state { n = 0 }\naction.add {}\n", to: "flow.lua")
    try folder.makeFolder("empty")
    for (name, body) in [
      ("fine", "pass.add()"), ("fails", "refuse.add()"), ("raises", "error('no')"),
      ("broken", "nonsense("),
    ] {
      try folder.write(
        "flow \"flow.lua\"\nscenario(\"it\", function() \(body) end)\n",
        to: "\(name).scenario.lua")
    }
    let plain = try moonlatch(["run"] + paths, in: folder, input: .init())
    let parsed = try moonlatch(["run", "--repeat", "1"] + paths, in: folder, input: .init())
    #expect(plain == parsed)
  }
}
