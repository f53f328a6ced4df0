import FlowKernel
import LuaRuntime
import Platform
import Testing

@testable import Scenarios

@Suite struct CasePlayerTests {
  private let told = RecordedLines()

  private final class RecordedLines: Sendable {
    let lines = Mutex<[String]>([])
  }

  private func player(_ flow: String, isSilent: Bool = false) throws -> CasePlayer {
    let stage = try CaseStage(LoadedFlow(source: flow), Limits(), isSilent: isSilent) {
      [told] line in told.lines.withLock { $0.append(line) }
    }
    return CasePlayer(on: stage, isSilent: isSilent)
  }

  @Test(
    "a step is recorded as reading the clock exactly if a script asks for the time",
    arguments: [
      ("function reduce.add() end", false), ("function reduce.add() now() end", true),
      ("function gate.add() return now() < 1 end", true),
      ("function reduce.add() random() end", false),
      ("gatekeeper.desk { add = \"attempt\" }", false),
      (
        "function gate.add() return not gatekeeper.desk:holder() end gatekeeper.desk { add = \"attempt\" }",
        false
      ),
      ("local t = math.huge function reduce.add() pcall(now) end", true),
    ])
  func clock(rest: String, reads: Bool) throws {
    let player = try player("action.add {}\n" + rest)
    #expect(!player.hasReadClock)
    #expect(try player.play("add", [:], at: 5) == nil)
    #expect(player.hasReadClock == reads)
  }

  @Test("reading the holder of a passage counts as reading the time when it was taken")
  func holder() throws {
    let player = try player(
      """
      action.add {}
      action.ask {}
      gatekeeper.desk { add = "attempt" }
      function gate.ask() return gatekeeper.desk:holder() == "add" end
      """)
    _ = try player.play("add", [:], at: 0)
    #expect(!player.hasReadClock)
    _ = try player.play("ask", [:], at: 0)
    #expect(player.hasReadClock)
  }

  @Test("printed lines are reported unless the player is silent, and kept until they are taken")
  func prints() throws {
    let player = try player(
      "print(\"loaded\") action.add {} function reduce.add() print(\"a\", 1) end", isSilent: true)
    #expect(player.takePrinted() == ["loaded"])
    player.speak()
    _ = try player.play("add", [:], at: 0)
    #expect(player.takePrinted() == ["a\t1"])
    #expect(player.takePrinted() == [])
    #expect(told.lines.withLock { $0 } == ["a\t1"])
  }

  @Test("printed lines beyond the limit are reported, though not kept")
  func much() throws {
    let player = try player(
      "action.add {} function reduce.add() for i = 1, 200 do print(i) end end")
    _ = try player.play("add", [:], at: 0)
    #expect(player.takePrinted() == nil)
    #expect(player.takePrinted() == [])
    #expect(told.lines.withLock { $0.count } == 200)
  }
}
