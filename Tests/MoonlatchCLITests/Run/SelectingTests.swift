import Testing

/// Selection of scenarios by `moonlatch run`.
@Suite struct SelectingTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(turnstile, to: "turnstile.lua")
    try folder.write(
      """
      flow "turnstile.lua"
      scenario("a coin opens it", { tags = { "smoke" } }, function() pass.coin { amount = 1 } end)
      scenario("it is shut", { tags = { "smoke", "slow" } }, function() pass.push() end)
      scenario("it stays shut", function() refuse.push() end)
      """, to: "a.scenario.lua")
  }

  private func lines(_ options: String...) throws -> [Substring] {
    try moonlatch(["run"] + options, in: folder, input: .init()).output.split(separator: "\n")
      .filter { $0.contains(".lua:") && !$0.hasPrefix(" ") }
  }

  @Test("a text, tags and a pattern select scenarios")
  func select() throws {
    #expect(try lines("--filter", "STAYS") == ["ok    a.scenario.lua:4  it stays shut"])
    #expect(
      try lines("--tag", "smoke and not slow") == ["ok    a.scenario.lua:2  a coin opens it"])
    #expect(try lines("*.scenario.lua").count == 3)
  }

  @Test("--list prints the scenarios that would run, with tags, and runs nothing")
  func list() throws {
    #expect(
      try moonlatch("run", "--list", in: folder)
        == Ran(
          code: 0,
          output: """
            a.scenario.lua:2  a coin opens it  [smoke]
            a.scenario.lua:3  it is shut  [smoke, slow]
            a.scenario.lua:4  it stays shut

            """, errors: ""))
    #expect(try moonlatch("run", "--list", "--filter", "nothing", in: folder).code == 4)
  }

  @Test("--list reports a file that cannot be loaded")
  func listUnloadable() throws {
    try folder.write("scenario(", to: "b.scenario.lua")
    let ran = try moonlatch("run", "--list", in: folder)
    #expect(ran.code == 2)
    #expect(ran.errors.hasPrefix("moonlatch: b.scenario.lua could not be loaded: "))
  }

  @Test("--last-failed runs the scenarios that failed last time, until they pass")
  func lastFailed() throws {
    _ = try moonlatch("run", in: folder)
    #expect(try lines("--last-failed") == ["FAIL  a.scenario.lua:3  it is shut"])
    // A run of other scenarios forgets nothing.
    _ = try moonlatch("run", "a.scenario.lua:2", in: folder)
    #expect(try lines("--last-failed", "--jobs", "1") == ["FAIL  a.scenario.lua:3  it is shut"])
    try folder.write(
      "flow \"turnstile.lua\"\nscenario(\"it is shut\", function() refuse.push() end)\n",
      to: "a.scenario.lua")
    #expect(try lines("--last-failed") == ["ok    a.scenario.lua:2  it is shut"])
    let ran = try moonlatch("run", "--last-failed", in: folder)
    #expect(ran.code == 4)
    #expect(ran.errors == "moonlatch: no scenario is selected: nothing failed\n")
  }

  @Test("--last-failed without a previous run is an error")
  func noLastRun() throws {
    let ran = try moonlatch("run", "--last-failed", in: folder)
    #expect(ran.code == 4)
    #expect(ran.errors.hasPrefix("moonlatch: there is no last run in this folder\n"))
  }

  @Test("options that select nothing exit with 4 and a message")
  func nothing() throws {
    #expect(
      try moonlatch("run", "--tag", "nosuch", in: folder)
        == Ran(code: 4, output: "", errors: "moonlatch: no scenario is selected by these options\n")
    )
  }

  @Test("invalid tags are a usage error")
  func malformed() throws {
    let ran = try moonlatch("run", "--tag", "a and", in: folder)
    #expect(ran.code == 64)
    #expect(ran.errors.contains("the tags \"a and\" cannot be read: a tag is missing at the end"))
  }

  @Test("a line after a pattern selects in each file, and no match in any is an error")
  func linesOfPatterns() throws {
    for name in ["b", "c", "d", "e", "f", "g", "h", "i"] {
      try folder.write(
        "flow \"turnstile.lua\"\nscenario(\"\(name)\", function() refuse.push() end)\n",
        to: "\(name).scenario.lua")
    }
    #expect(
      try lines("[ab].scenario.lua:2") == [
        "ok    a.scenario.lua:2  a coin opens it", "ok    b.scenario.lua:2  b",
      ])
    #expect(
      try lines("*.scenario.lua:4", "--jobs", "1") == ["ok    a.scenario.lua:4  it stays shut"])
    let ran = try moonlatch("run", "*.scenario.lua:13", in: folder)
    #expect(ran.code == 4)
    #expect(
      (ran.output + ran.errors).contains(
        "there is no scenario at line 13 of a file that matches *.scenario.lua (9 files)"),
      "\(ran)")
    #expect(
      try moonlatch("run", "--list", "*.scenario.lua:4", in: folder).output
        == "a.scenario.lua:4  it stays shut\n")
    let listed = try moonlatch("run", "--list", "*.scenario.lua:13", in: folder)
    #expect(listed.code == 4)
    #expect(listed.errors.contains("there is no scenario at line 13 of a file that matches"))
  }
}
