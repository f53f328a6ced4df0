import LuaRuntime
import Testing

@testable import FlowCases
@testable import FlowHosting
@testable import FlowKernel
@testable import FlowLanguage

@Suite struct CaseReplayTests {
  @Test("an action that was queued in the snapshot from which a replay starts runs once")
  func queued() throws {
    let flow = try LoadedFlow(
      source: """
        state { n = 0 }
        action.go {}
        internal.add {}
        function reduce.add(s) s.n = s.n + 1 end
        function effect.go() dispatch.add() end
        """)
    let engine = try Engine(flow, limits: Limits(), log: ScriptLog { _ in }, birth: 0)
    engine.startRecording()
    _ = try engine.takeEntry()
    #expect(engine.dispatch("go", [:]).isPassed)
    let image = try engine.image()
    _ = try engine.takeEntry()
    engine.settle()
    let turn = try #require(try engine.takeEntry())
    func entry(_ seq: Int, _ body: [UInt8]) -> JournalEntry {
      JournalEntry(seq: seq, flow: 1, wall: 0, body: body, revision: seq - 1)
    }
    let replay = try CaseReplay(
      flow, birth: JournalEntry.Birth(time: 0, seed: 0), entry(2, image), of: flow)
    #expect(try replay.play(entry(3, turn))?.description == nil)
    #expect(replay.end()?.description == nil)
  }
}
