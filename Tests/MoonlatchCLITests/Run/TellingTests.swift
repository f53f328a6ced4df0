import Foundation
import Testing

/// Output of `moonlatch run` and `moonlatch report`.
@Suite struct TellingTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(turnstile, to: "turnstile.lua")
    try folder.write(
      """
      flow "turnstile.lua"
      scenario("opens", function() pass.coin { amount = 1 } end)
      scenario("is shut", function() pass.push() end)
      """, to: "a.scenario.lua")
  }

  @Test("--verbose prints every dispatch with its outcome and patch")
  func verbose() throws {
    #expect(
      try moonlatch("run", "--verbose", "a.scenario.lua:2", in: folder).output == """
        ok    a.scenario.lua:2  opens
              the dispatches:
                coin { amount = 1 }  passed (#1)
                  coins: 0 -> 1
                  locked: true -> false
        1 passed, 0 failed

        """)
    #expect(try moonlatch("run", "-v", "-q", in: folder).code == 64)
  }

  @Test("each report can be generated from the stream later, byte for byte")
  func later() throws {
    let formats = ["text", "junit", "tap", "html", "jsonl"]
    let options = formats.flatMap { ["--report", "\($0)=run.\($0)"] }
    let ran = try moonlatch(["run"] + options, in: folder, input: Data())
    #expect(ran.code == 1)
    for format in formats {
      let made = try moonlatch("report", format, "run.jsonl", in: folder)
      #expect(made.code == 0)
      #expect(try made.output == folder.text(of: "run.\(format)"))
    }
    #expect(try folder.text(of: "run.text") == ran.output)
  }

  @Test("a report on standard output moves other output to standard error")
  func output() throws {
    let ran = try moonlatch("run", "--report", "tap=-", in: folder)
    #expect(ran.output.hasPrefix("TAP version 14\nok 1 - a.scenario.lua:2 opens\nnot ok 2"))
    #expect(ran.output.hasSuffix("1..2\n"))
    #expect(ran.errors.hasPrefix("ok    a.scenario.lua:2  opens\n"))
  }

  @Test("annotations are printed among the lines of the output")
  func github() throws {
    let ran = try moonlatch("run", "--report", "github", in: folder)
    #expect(ran.output.contains("\n::error file=a.scenario.lua,line=3,title=is shut::"))
    #expect(ran.output.hasSuffix("1 passed, 1 failed\n"))
  }

  @Test("an unknown report, or one without a writable file, is a usage error")
  func wrong() throws {
    for report in ["xml=a", "junit", "junit="] {
      let ran = try moonlatch("run", "--report", report, in: folder)
      #expect(ran.code == 64)
      #expect(ran.errors.contains("'\(report)'"), "\(ran.errors)")
    }
    let ran = try moonlatch("run", "--report", "junit=nowhere/a.xml", in: folder)
    #expect(ran.code == 64)
    #expect(ran.errors.contains("nowhere/a.xml could not be written: No such file or directory"))
    #expect(ran.output.isEmpty)
  }

  @Test("an invalid stream exits with 2 and its line")
  func noStream() throws {
    try folder.write("{}\n", to: "bad.jsonl")
    let ran = try moonlatch("report", "tap", "bad.jsonl", in: folder)
    #expect(ran.code == 2)
    #expect(ran.errors.hasPrefix("moonlatch: bad.jsonl:1:1: this is not an event of a run"))
    #expect(try moonlatch("report", "tap", "none.jsonl", in: folder).code == 2)
  }

  @Test("a truncated stream exits with 5")
  func brokenOff() throws {
    _ = try moonlatch("run", "--report", "jsonl=run.jsonl", in: folder)
    let lines = try folder.text(of: "run.jsonl").split(separator: "\n")
    try folder.write(lines.dropLast().joined(separator: "\n"), to: "cut.jsonl")
    let ran = try moonlatch("report", "text", "cut.jsonl", in: folder)
    #expect(ran.code == 5)
    #expect(ran.errors == "moonlatch: cut.jsonl is incomplete: its run did not finish\n")
    #expect(ran.output.hasSuffix("1 passed, 1 failed\n"))
  }
}
