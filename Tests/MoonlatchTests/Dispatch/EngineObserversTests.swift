import LuaRuntime
import Testing

@testable import FlowKernel
@testable import FlowLanguage

@Suite("Observers of an engine") struct EngineObserversTests {
  private let flow = """
    state { n = 0 } action.add { by = integer }
    function reduce.add(s, a) s.n = s.n + a.by end
    function gate.add(s, a) return a.by > 0, "not above 0" end
    function effect.add() sleep(1) end
    """

  private func engine() throws -> Engine {
    try Engine(LoadedFlow(source: flow), limits: Limits(), log: ScriptLog { _ in })
  }

  @Test("the interests of observers are those of the present ones")
  func interests() throws {
    var observers = EngineObservers()
    #expect(observers.interests.isEmpty)
    let subscription = observers.subscriptions.observe(while: nil) { _ in }
    #expect(observers.interests == .commits)
    observers.subscriptions.remove([subscription])
    #expect(observers.interests.isEmpty)
    let refusals = observers.subscriptions.observe(while: nil, refusals: { _ in }) { _ in }
    #expect(observers.interests == [.commits, .rejections])
    observers.subscriptions.remove([refusals])
    observers.transcript = Transcript(flow: "f", hash: "", seed: 0)
    #expect(observers.interests == .inputs)
    observers.transcript = nil
    observers.recorder = TurnRecorder(try engine(), keepsTime: true, keepsRefusals: false)
    #expect(observers.interests == [.commits, .effects])
    observers.recorder = TurnRecorder(try engine(), keepsTime: true, keepsRefusals: true)
    #expect(observers.interests == [.commits, .effects, .rejections])
    observers.recorder = nil
    observers.commitHandler = { _ in }
    observers.recordsMicrosteps = true
    observers.findsChangedLocals = true
    #expect(observers.interests == [.commitHandler, .microsteps, .locals])
    (observers.commitHandler, observers.recordsMicrosteps) = (nil, false)
    observers.findsChangedLocals = false
    #expect(observers.interests.isEmpty)
  }

  @Test("observers do not change the state of a case")
  func same() throws {
    func bytes(_ prepare: (Engine) -> Void) throws -> [UInt8] {
      let engine = try engine()
      prepare(engine)
      for by in [1, 0, 2, -1, 3] { _ = engine.dispatchAndSettle("add", ["by": .integer(by)]) }
      engine.advance(0.5)
      var writer = ValueWriter()
      writer.write(engine.caseState)
      return writer.bytes
    }
    let alone = try bytes { _ in }
    var heard: [String] = []
    let observed = try bytes { engine in
      engine.observers.transcript = Transcript(flow: "f", hash: "", seed: 0)
      engine.observers.commitHandler = { heard.append($0.action) }
      engine.observers.recordsMicrosteps = true
      engine.observers.findsChangedLocals = true
      _ = engine.observers.subscriptions.observe(while: nil, refusals: { _ in }) { _ in }
    }
    #expect(observed == alone)
    #expect(heard == ["add", "add", "add"])
  }
}
