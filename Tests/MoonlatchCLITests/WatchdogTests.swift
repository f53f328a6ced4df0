import Foundation
import LuaRuntime
import SharedCommands
import Platform
import Testing

@testable import MoonlatchCLI

@Suite struct WatchdogTests {
  /// A watchdog that notes what it does.
  private final class Noted: Sendable {
    let lines = Mutex<[String]>([])
    let endings = Mutex(0)
    func watchdog() -> Watchdog {
      Watchdog(
        patience: .seconds(30), grace: .seconds(5),
        tell: { line in self.lines.withLock { $0.append(line) } },
        giveUp: { self.endings.withLock { $0 += 1 } })
    }
  }

  private let start = ContinuousClock.now
  private let reducer = CurrentRun(vm: .max, progress: 1, kind: "a reducer")

  @Test("a stuck run is stopped once after the limit, and then the process is ended")
  func stuck() {
    let noted = Noted()
    let watchdog = noted.watchdog()
    for second in [0, 10, 29] { watchdog.look(at: [reducer], now: start + .seconds(second)) }
    #expect(!watchdog.hasFired)
    for second in [30, 31, 34] { watchdog.look(at: [reducer], now: start + .seconds(second)) }
    #expect(watchdog.hasFired)
    #expect(
      noted.lines.withLock { $0 } == ["a reducer has been running for 30 s; it is stopped"])
    #expect(noted.endings.withLock { $0 } == 0)
    watchdog.look(at: [reducer], now: start + .seconds(35))
    #expect(noted.endings.withLock { $0 } == 1)
    #expect(noted.lines.withLock { $0[1] }.contains("does not stop"))
  }

  @Test("several short runs may together take longer than the limit")
  func moving() {
    let noted = Noted()
    let watchdog = noted.watchdog()
    for second in 0..<100 {
      let run = CurrentRun(vm: .max, progress: UInt64(second / 20), kind: "a script")
      watchdog.look(at: second % 7 == 0 ? [] : [run], now: start + .seconds(second))
    }
    #expect(!watchdog.hasFired)
    #expect(noted.lines.withLock { $0.isEmpty })
  }

  @Test("the process is not ended if the stopped run ends")
  func obedient() {
    let noted = Noted()
    let watchdog = noted.watchdog()
    for second in [0, 30] { watchdog.look(at: [reducer], now: start + .seconds(second)) }
    for second in [31, 60] { watchdog.look(at: [], now: start + .seconds(second)) }
    #expect(watchdog.hasFired)
    #expect(noted.endings.withLock { $0 } == 0)
  }

  /// Runs the command with what the environment says of its patience.
  private func run(_ arguments: [String], patience: String, in folder: TemporaryFolder) throws
    -> Ran
  {
    let path = folder.url.path
    let child = try ChildProcess(
      arguments, in: folder.url,
      streams: [.reading(path + "/in"), .writing(path + "/out"), .writing(path + "/err")],
      environment: [Watchdog.variable: patience])
    let code = child.wait()
    return Ran(code: code, output: try folder.text(of: "out"), errors: try folder.text(of: "err"))
  }

  @Test("the command stops a run that takes too long and exits with 124")
  func command() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "state { n = 0 }\naction.go {}\nfunction reduce.go(s) while true do end end",
      to: "flow.lua")
    // Each line runs to its limit; the first that is seen at it twice ends them all.
    try folder.write(String(repeating: "go {}\n", count: 300), to: "in")
    let ran = try run(["repl", "flow.lua", "--keep-going"], patience: "0.02", in: folder)
    #expect(ran.code == 124)
    #expect(ran.errors.contains("a script has been running for"), "\(ran.errors.prefix(2_000))")
  }

  @Test(
    "an invalid duration for the limit is a usage error", arguments: ["soon", "-1", "0", "nan"])
  func badPatience(text: String) throws {
    let folder = try TemporaryFolder()
    try folder.write("", to: "in")
    let ran = try run(["--version"], patience: text, in: folder)
    #expect(ran.code == 64)
    #expect(ran.errors.contains("MOONLATCH_PATIENCE") && ran.errors.contains("\"\(text)\""))
  }

  @Test("a limit that is not reached changes nothing")
  func patient() throws {
    let folder = try TemporaryFolder()
    try folder.write("", to: "in")
    let ran = try run(["--version"], patience: "30", in: folder)
    #expect(ran.code == 0)
    #expect(ran.errors.isEmpty)
  }
}
