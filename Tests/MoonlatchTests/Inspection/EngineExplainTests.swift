import LuaRuntime
import Testing

@testable import FlowKernel
@testable import FlowLanguage

@Suite struct EngineExplainTests {
  private let text = """
    state { n = 0, user = none, flags = list {} }
    action.log_in {}
    action.log_out {}
    action.go { by = integer { min = 1, max = 3 } }
    action.stop {}
    action.odd {}
    action.mute {}
    machine.light {
      initial = "red",
      red = { go = { to = "green", when = function(s, a) return a.by < 3, "too fast" end } },
      green = { stop = "red", go = "green" },
    }
    gatekeeper.phase { go = { attempt = "moving", unless = "broken" }, stop = { reset = "moving" },
      mute = { attempt = "broken" } }
    scope.user { key = function(s) return s.user end, actions = { "log_out", "go" } }
    function reduce.log_in(s) s.user = "u" end
    function reduce.log_out(s) s.user = nil end
    function reduce.go(s, a) s.n = s.n + a.by end
    function gate.go(s, a) return s.n + a.by < 5, "far enough" end
    function gate.odd() error("odd") end
    function gate.mute() end
    """

  /// Compares the answer of `may` with the first decision of the explanation that does not agree.
  private func compare(_ engine: Engine, _ action: String, _ payload: Value) {
    let explanation = engine.explain(action, payload)
    let first = explanation.decisions.first { $0.verdict != .agrees }
    switch engine.may(action, payload) {
    case .granted: #expect(explanation.passes, "\(action) \(payload)")
    case .refused(let refusal):
      #expect(first?.refuser == refusal.rejectedBy, "\(action) \(payload)")
      #expect(first?.verdict == .refuses(refusal.reason))
      #expect(first?.place == refusal.place)
    case .failed(let failure):
      guard case .fails? = first?.verdict else {
        Issue.record("\(action) \(payload): \(failure.summary), but the explanation says nothing")
        return
      }
    }
  }

  @Test("the first decision that does not agree is the one that ends a dispatch, in every state")
  func agreesWithMay() throws {
    let engine = try Engine(
      LoadedFlow(
        FlowSources(text: text, name: "flow.lua"), limits: Limits(), log: ScriptLog { _ in }),
      limits: Limits(), log: ScriptLog { _ in })
    let dispatches: [(String, Value)] = [
      ("log_in", [:]), ("log_out", [:]), ("go", ["by": 1]), ("go", ["by": 3]), ("go", ["by": 9]),
      ("go", [:]), ("stop", [:]), ("odd", [:]), ("mute", [:]), ("none", [:]), ("stop", ["x": 1]),
    ]
    var random = SeededRandom(seed: 7)
    for _ in 0..<200 {
      for (action, payload) in dispatches { compare(engine, action, payload) }
      let (action, payload) = dispatches[random.integer(0, dispatches.count - 1)]
      let before = engine.revision
      let state = try engine.state()
      _ = engine.explain(action, payload)
      #expect(try engine.revision == before && engine.state() == state)
      _ = engine.dispatch(action, payload)
    }
    #expect(engine.revision > 20)
  }

  @Test("an explanation has the decision of every rule")
  func all() throws {
    let engine = try Engine(
      LoadedFlow(
        FlowSources(text: text, name: "flow.lua"), limits: Limits(), log: ScriptLog { _ in }),
      limits: Limits(), log: ScriptLog { _ in })
    func told(_ payload: Value) -> [String] {
      engine.explain("go", payload).decisions.map {
        "\($0.step) \($0.by) \($0.verdict == .agrees) \($0.note ?? "-") \($0.place?.line ?? 0)"
      }
    }
    #expect(
      told(["by": 1]) == [
        "1 payload true - 4", "2 scope user false - 15", "3 machine light true red -> green 10",
        "4 gatekeeper phase true takes \"moving\"; tests \"broken\" 13", "5 gate go true - 19",
      ])
    _ = engine.dispatch("log_in", [:])
    _ = engine.dispatch("go", ["by": 2])
    #expect(
      told(["by": 3]) == [
        "1 payload true - 4", "2 scope user true open, its key is \"u\" 15",
        "3 machine light true green -> green 8", "4 gatekeeper phase false - 13",
        "5 gate go false - 19",
      ])
    #expect(
      engine.explain("go", [:]).decisions.map(\.verdict).dropFirst(2) == [
        .notAsked, .notAsked, .notAsked,
      ])
  }

  @Test(
    "When several machines refuse, the first in the order of declaration is named; `:why` shows all."
  )
  func severalMachines() throws {
    let source = """
      state {} action.go {} action.back {}
      machine.z { initial = "x", x = { back = "y" }, y = { go = "x" } }
      machine.a { initial = "x", x = { back = "y" }, y = { go = "x" } }
      """
    let engine = try Engine(
      LoadedFlow(
        FlowSources(text: source, name: "flow.lua"), limits: Limits(), log: ScriptLog { _ in }),
      limits: Limits(), log: ScriptLog { _ in })
    let reason = "go is not possible in x (possible in: y)"
    #expect("\(engine.dispatch("go", [:]))" == "refused by machine z: \(reason)")
    let machines = engine.explain("go", [:]).decisions.filter { $0.step == 3 }
    #expect(machines.map(\.by) == ["machine z", "machine a"])
    #expect(machines.map(\.verdict) == [.refuses(reason), .refuses(reason)])
  }
}
