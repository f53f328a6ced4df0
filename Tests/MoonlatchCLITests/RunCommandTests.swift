import Testing

/// `moonlatch run`.
@Suite struct RunCommandTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(turnstile, to: "turnstile.lua")
  }

  private func write(_ name: String, _ text: String) throws {
    try folder.write("flow \"turnstile.lua\"\n" + text, to: name)
  }

  private let opens = """
    scenario("a coin opens it", function()
      pass.coin { amount = 1 }
      pass.push()
    end)
    """

  @Test("passed scenarios are one line each and a count, with exit code 0")
  func well() throws {
    try write("a.scenario.lua", opens)
    #expect(
      try moonlatch("run", "a.scenario.lua", in: folder)
        == Ran(
          code: 0, output: "ok    a.scenario.lua:2  a coin opens it\n1 passed, 0 failed\n",
          errors: ""))
  }

  @Test("a failed expectation exits with 1, with the report on standard output")
  func fails() throws {
    try write("a.scenario.lua", "scenario(\"it is shut\", function()\n  pass.push()\nend)\n")
    #expect(
      try moonlatch("run", "a.scenario.lua", in: folder)
        == Ran(
          code: 1,
          output: """
            FAIL  a.scenario.lua:2  it is shut
                  a.scenario.lua:3: push was to pass, but it was refused by gate push: \
            insert a coin first
                      2 | scenario("it is shut", function()
                    > 3 |   pass.push()
                      4 | end)
                  the last dispatches:
                    push {}  refused by gate push: insert a coin first  [turnstile.lua:6]
                  again: moonlatch run a.scenario.lua:2
            0 passed, 1 failed

            """, errors: ""))
  }

  @Test("without a path, scenarios of the current folder are run")
  func currentFolder() throws {
    try write("b.scenario.lua", opens)
    try folder.write("flow \"../turnstile.lua\"\n" + opens, to: "sub/a.scenario.lua")
    let ran = try moonlatch("run", in: folder)
    #expect(
      ran.output == """
        ok    b.scenario.lua:2  a coin opens it
        ok    sub/a.scenario.lua:2  a coin opens it
        2 passed, 0 failed

        """)
    #expect(ran.code == 0)
  }

  @Test("a line number runs the scenario at that line")
  func line() throws {
    try write("a.scenario.lua", opens + "\nscenario(\"second\", function() end)\n")
    #expect(
      try moonlatch("run", "a.scenario.lua:6", in: folder).output
        == "ok    a.scenario.lua:6  second\n1 passed, 0 failed\n")
  }

  @Test("a line without a scenario exits with 4 and a message on standard error")
  func emptyLine() throws {
    try write("a.scenario.lua", opens)
    #expect(
      try moonlatch("run", "a.scenario.lua:1", in: folder)
        == Ran(
          code: 4, output: "",
          errors:
            "moonlatch: there is no scenario at a.scenario.lua:1 (the first begins at line 2, "
            + "the file has 5)\n"))
  }

  @Test("--quiet prints only failures and the count")
  func quiet() throws {
    try write(
      "a.scenario.lua",
      opens + "\nscenario(\"later\", { skip = \"why\" }, function() end)\n"
        + "scenario(\"raises\", function() error(\"no\") end)")
    let ran = try moonlatch("run", "--quiet", "a.scenario.lua", in: folder)
    #expect(ran.output.hasPrefix("ERROR a.scenario.lua:7  raises\n"))
    #expect(
      ran.output.hasSuffix(
        "\n1 passed, 1 failed, 1 skipped (1 ended in a script error)\n"))
    #expect(ran.code == 3)
    #expect(
      try moonlatch("run", "-q", "a.scenario.lua:2", in: folder).output
        == "1 passed, 0 failed\n")
  }

  @Test("every file is run, whatever errors another has, and the most serious exit code wins")
  func precedence() throws {
    try write("good.scenario.lua", opens)
    try write("fails.scenario.lua", "scenario(\"f\", function() pass.push() end)")
    try write("raises.scenario.lua", "scenario(\"r\", function() error(\"no\") end)")
    try write("broken.scenario.lua", "scenario(")
    let folder = folder
    func code(_ names: String...) throws -> Int32 {
      try moonlatch(["run"] + names.map { "\($0).scenario.lua" }, in: folder, input: .init()).code
    }
    #expect(try code("good") == 0)
    #expect(try code("good", "fails") == 1)
    #expect(try code("fails", "raises", "good") == 3)
    #expect(try code("raises", "broken", "fails", "good") == 2)
    let ran = try moonlatch("run", ".", in: folder)
    #expect(ran.output.contains("ok    good.scenario.lua:2  a coin opens it\n"))
    #expect(
      ran.output.hasSuffix(
        "1 passed, 3 failed (1 could not be loaded, 1 ended in a script error)\n"))
  }

  @Test("the output of a scenario is shown with it, and truncated if it is long")
  func prints() throws {
    try write(
      "a.scenario.lua",
      "scenario(\"loud\", function() for n = 1, 100000 do print(\"line\", n) end end)")
    let ran = try moonlatch("run", "a.scenario.lua", in: folder)
    #expect(ran.output.contains("\n      | line\t1\n      | line\t2\n"))
    #expect(ran.output.hasSuffix("      | ... and 99800 more lines\n1 passed, 0 failed\n"))
    #expect(ran.code == 0)
  }

  @Test("two runs of the same scenarios print the same bytes")
  func deterministic() throws {
    try write("a.scenario.lua", opens)
    try write("b.scenario.lua", "scenario(\"f\", function() expect { coins = 3 } end)")
    #expect(try moonlatch("run", in: folder) == moonlatch("run", in: folder))
  }
}
