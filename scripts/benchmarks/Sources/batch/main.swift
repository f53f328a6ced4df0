import Bench
import Foundation

// `moonlatch run` over 2,000 scenario files on one and two workers, against busted and pytest with
// the same assertions on a plain table; and the start of the command. Whole processes, all of them.
//
// The arguments are the moonlatch command, then options.

run { report in
  guard let command = CommandLine.arguments.dropFirst().first(where: { !$0.hasPrefix("-") }) else {
    throw WrongResult("the first argument is the moonlatch command")
  }
  let root = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../..").standardizedFileURL
  let suites = try Suites(
    count: 2_000, flow: root.appending(path: "examples/turnstile/turnstile.lua"))
  defer { suites.remove() }

  let count = Double(suites.count)
  var runs: [String: Double] = [:]
  // In turns, so that what else the machine does falls on all of them.
  for _ in 0..<5 {
    let all: [(String, Program)] = [
      (
        "one",
        Program([command, "run", "-q", "--jobs", "1"], in: suites.scenarios, says: "2000 passed")
      ),
      (
        "two",
        Program([command, "run", "-q", "--jobs", "2"], in: suites.scenarios, says: "2000 passed")
      ),
      ("busted", Program(["busted", "-o", "TAP", "."], in: suites.busted, says: "ok 2000")),
    ]
    for (name, program) in all { runs[name] = min(runs[name] ?? .infinity, try program.seconds()) }
  }
  let pytest = Program(
    ["python3", "-m", "pytest", "-q", "-p", "no:cacheprovider"], in: suites.pytest,
    says: "2000 passed")
  runs["pytest"] = try pytest.seconds()

  func rate(_ name: String) -> Double { count / (runs[name] ?? .infinity) }
  report.title("2,000 files with one scenario of ten steps each, least of 5 whole processes")
  report.figure("moonlatch run --jobs 1", rate("one"), "scenarios/s")
  report.figure("moonlatch run --jobs 2", rate("two"), "scenarios/s")
  report.figure("busted, all files in one VM", rate("busted"), "tests/s")
  report.figure("pytest, once", rate("pytest"), "tests/s")
  report.target("one job against busted", rate("one") / rate("busted"), atLeast: 4)
  report.target("two jobs against one", rate("two") / rate("one"), atLeast: 1.7)
  report.figure("one job against pytest", rate("one") / rate("pytest"), "times")

  report.title("start: one scenario of the turnstile, whole process, least of 100")
  let one = Program(
    [command, "run", "s0000.scenario.lua"], in: suites.scenarios, says: "1 passed")
  let lua = Program(["lua5.4", "-e", ""], in: suites.scenarios, says: "")
  var least = (one: Double.infinity, lua: Double.infinity)
  for _ in 0..<100 {
    least.one = min(least.one, try one.seconds())
    least.lua = min(least.lua, try lua.seconds())
  }
  report.figure("moonlatch run s0000.scenario.lua", least.one * 1000, "ms")
  report.figure("lua5.4 -e \"\"", least.lua * 1000, "ms")
  report.target("moonlatch against lua", least.one / least.lua, atMost: 3)
}
