import Foundation
import Testing

/// Execution of the selected scenarios by `moonlatch run`.
@Suite struct RunningTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(turnstile, to: "turnstile.lua")
  }

  private func write(_ name: String, _ text: String) throws {
    try folder.write("flow \"turnstile.lua\"\n" + text, to: name)
  }

  private let forever = "for n = 1, 1e9 do refuse.push() end"

  @Test("the report is the same for any number of jobs, in the order of files")
  func order() throws {
    for number in 10..<40 {
      let body = number % 7 == 0 ? "pass.push()" : "pass.coin { amount = \(number) }"
      try write(
        "\(number).scenario.lua",
        "scenario(\"a\", function() \(body) end)\nscenario(\"b\", function() print(\(number)) end)")
    }
    let one = try moonlatch("run", "--jobs", "1", in: folder)
    let four = try moonlatch("run", "--jobs", "4", in: folder)
    #expect(one == four)
    #expect(one.code == 1)
    #expect(one.output.hasSuffix("56 passed, 4 failed\n"))
    let shuffled = try moonlatch("run", "-j", "3", "--shuffle", "--seed", "5", in: folder)
    #expect(
      shuffled.output
        == "shuffled with --seed 5\n"
        + one.output.replacing(
          #/again: .*/#, with: { "\($0.output) --seed 5" }))
  }

  @Test("--repeat runs each scenario several times, and a failure in one of them counts")
  func repeats() throws {
    try write("a.scenario.lua", "scenario(\"a\", function() end)")
    let ran = try moonlatch("run", "--repeat", "3", in: folder)
    #expect(
      ran.output == """
        ok    a.scenario.lua:2  a
        ok    a.scenario.lua:2  a (run 2)
        ok    a.scenario.lua:2  a (run 3)
        3 passed, 0 failed

        """)
  }

  @Test("the seed determines random draws, and the command to repeat the run has it")
  func seed() throws {
    try folder.write(
      "state { n = 0 }\naction.roll {}\nfunction reduce.roll(s) s.n = random(1000000) end",
      to: "turnstile.lua")
    try write("a.scenario.lua", "scenario(\"a\", function() pass.roll() expect { n = 0 } end)")
    let first = try moonlatch("run", "--seed", "1", in: folder).output
    #expect(try moonlatch("run", "--seed", "1", in: folder).output == first)
    #expect(try moonlatch("run", "--seed", "2", in: folder).output != first)
    #expect(first.contains("again: moonlatch run a.scenario.lua:2 --seed 1\n"))
  }

  @Test("--fail-fast stops after the first failure")
  func failFast() throws {
    for number in 10..<60 {
      try write("\(number).scenario.lua", "scenario(\"a\", function() pass.push() end)")
    }
    let ran = try moonlatch("run", "--fail-fast", "--jobs", "1", in: folder)
    #expect(ran.code == 1)
    #expect(
      ran.output.hasSuffix(
        "\n0 passed, 1 failed; stopped after a failure, so not everything was run\n"))
    #expect(ran.output.components(separatedBy: "FAIL ").count == 2)
  }

  @Test("a scenario that takes too long is stopped, and the others run")
  func timeout() throws {
    try write(
      "a.scenario.lua",
      "scenario(\"endless\", function() \(forever) end)\nscenario(\"short\", function() end)")
    let ran = try moonlatch("run", "--timeout", "500ms", "--jobs", "1", in: folder)
    #expect(
      ran
        == Ran(
          code: 3,
          output: """
            ERROR a.scenario.lua:2  endless
                  it took longer than 0.5 s
                  again: moonlatch run a.scenario.lua:2
            ok    a.scenario.lua:3  short
            1 passed, 1 failed (1 ended in a script error)

            """, errors: ""))
  }

  @Test("a run that takes too long exits with 124 and reports the scenarios that ran")
  func totalTimeout() throws {
    try write("a.scenario.lua", "scenario(\"short\", function() end)")
    try write("b.scenario.lua", "scenario(\"endless\", function() \(forever) end)")
    let ran = try moonlatch("run", "--total-timeout", "2", "--jobs", "1", in: folder)
    #expect(ran.code == 124)
    #expect(
      ran.output == """
        ok    a.scenario.lua:2  short
        1 passed, 0 failed; out of time, so not everything was run

        """)
  }

  /// A run in the background whose first scenario has passed and whose second takes for ever.
  private func startRun() throws -> (ChildProcess, TemporaryFolder) {
    try write(
      "a.scenario.lua",
      "scenario(\"first\", function() end)\nscenario(\"endless\", function() \(forever) end)\n"
        + "scenario(\"last\", function() end)")
    let streams = try TemporaryFolder()
    let path = streams.url.path
    let child = try ChildProcess(
      ["run", "--jobs", "1"], in: folder.url,
      streams: [.reading("/dev/null"), .writing(path + "/out"), .writing(path + "/err")])
    for _ in 0..<2_000 {
      if try streams.text(of: "out").contains("first") { break }
      usleep(5_000)
    }
    usleep(100_000)
    return (child, streams)
  }

  @Test(
    "a termination signal stops the run, which reports what ran and has the signal's exit code",
    arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXFSZ])
  func interrupt(signal: Int32) throws {
    let (child, streams) = try startRun()
    child.signal(signal)
    #expect(child.wait() == 128 + signal)
    #expect(
      try streams.text(of: "out") == """
        ok    a.scenario.lua:2  first
        1 passed, 0 failed; interrupted, so not everything was run

        """)
  }

  @Test(
    "closed standard streams are not replaced by files of the run",
    arguments: ["<&-", ">&-", "2>&-"])
  func closed(stream: String) throws {
    let (child, streams) = try start(
      shell:
        "\(ChildProcess.command) run --jobs 1 first.scenario.lua --report junit=r.xml \(stream)")
    #expect(child.wait() == 0)
    let report = try String(contentsOf: folder.url.appending(path: "r.xml"), encoding: .utf8)
    #expect(report.hasPrefix("<?xml") && !report.contains("8 passed"))
    withExtendedLifetime(streams) {}
  }

  @Test("a lack of file descriptors is reported, and not as an internal error")
  func fewDescriptors() throws {
    let (child, streams) = try start(
      shell: "ulimit -n 8; exec \(ChildProcess.command) run --jobs 4 first.scenario.lua")
    #expect(child.wait() == 74)
    #expect(
      try streams.text(of: "err")
        == "moonlatch: a pipe could not be opened: Too many open files\n")
  }

  private func start(shell: String) throws -> (ChildProcess, TemporaryFolder) {
    let streams = try TemporaryFolder()
    try write(
      "first.scenario.lua",
      "for i = 1, 8 do scenario(\"scenario \" .. i, function() end) end")
    let path = streams.url.path
    let child = try ChildProcess(
      ["-c", shell], in: folder.url,
      streams: [.reading("/dev/null"), .writing(path + "/out"), .writing(path + "/err")],
      command: "/bin/sh")
    return (child, streams)
  }

  #if os(Linux)
    @Test("a process that crashes loses only its current scenario")
    func crash() throws {
      let (child, streams) = try startRun()
      for worker in child.children { kill(worker, SIGKILL) }
      #expect(child.wait() == 3)
      #expect(
        try streams.text(of: "out") == """
          ok    a.scenario.lua:2  first
          ERROR a.scenario.lua:3  endless
                its process was ended by signal 9 (Killed) while this scenario ran
                again: moonlatch run a.scenario.lua:3
          ok    a.scenario.lua:4  last
          2 passed, 1 failed (1 ended in a script error)

          """)
    }
  #endif
}
