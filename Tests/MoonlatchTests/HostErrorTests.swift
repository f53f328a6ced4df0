@testable import FlowHosting
@testable import FlowKernel
import Testing

@Suite struct HostErrorTests {
  private let flow = "state { n = 0 } action.go {} function reduce.go(s) s.n = s.n + 1 end"

  /// Returns the error that is thrown; records an issue if it is not of that type.
  private func error<Thrown: Error>(
    _ type: Thrown.Type, _ body: () throws -> Void, _ location: SourceLocation = #_sourceLocation
  ) -> Thrown? {
    do {
      try body()
      Issue.record("nothing was thrown", sourceLocation: location)
    } catch let error as Thrown {
      return error
    } catch {
      Issue.record("\(error)", sourceLocation: location)
    }
    return nil
  }

  @Test("the errors of a host have kinds that a program can distinguish")
  func kinds() throws {
    let options = HostOptions(clock: .virtual, report: { _ in })
    let host = try FlowHost(source: flow, options: options)
    let none = KeyedScope("none", key: Int.self)
    let desk = KeyedScope("desk", key: Int.self, actions: ["go"])
    #expect(error(HostError.self) { try FlowHost(source: flow).advance(1) }?.kind == .realClock)
    #expect(error(HostError.self) { try host.advance(-1) }?.kind == .invalidTime)
    #expect(error(HostError.self) { try host.reload(.replay) }?.kind == .noTranscript)
    #expect(
      error(HostError.self) { _ = try host.open(none, with: 1) }?.kind == .undeclaredScope("none"))
    let other = Transcript(flow: "flow.lua", hash: "", seed: 7)
    #expect(error(HostError.self) { _ = try host.replay(other) }?.kind == .otherSeed)
    try host.passing()
    let own = Transcript(flow: "flow.lua", hash: "", seed: 0)
    #expect(error(HostError.self) { _ = try host.replay(own) }?.kind == .alreadyBegun)
    func making(_ scopes: (inout HostScopes) -> Void) -> HostError.Kind? {
      error(HostError.self) { _ = try FlowHost(source: flow, options: options, scopes: scopes) }?
        .kind
    }
    #expect(making { $0["usr"].provide("a") { 1 } } == .undeclaredScope("usr"))
    #expect(making { $0.root.provide("a", parameters: ["b"]) { 1 } } == .parameters)
    #expect(making { $0.declare(KeyedScope("root", key: Int.self)) } == .declaredScope("root"))
    #expect(
      making { $0.declare(KeyedScope("a", key: Int.self, actions: ["gone"])) }
        == .undeclaredAction("gone"))
    #expect(
      making {
        $0.declare(desk)
        $0.declare(KeyedScope("second", key: Int.self, actions: ["go"]))
      } == .ownedAction("go"))
    var native = options
    native.addGate("g", for: ["gone"]) { _, _ in .passes }
    #expect(
      error(HostError.self) { _ = try FlowHost(source: flow, options: native) }?.kind
        == .undeclaredAction("gone"))
  }

  @Test("a scope that is open with an equal key, or whose parent is closed, cannot be opened")
  func opening() throws {
    let outer = KeyedScope("outer", key: Int.self)
    let inner = KeyedScope("inner", key: Int.self, parent: "outer")
    let host = try FlowHost(source: flow) { scopes in
      scopes.declare(outer)
      scopes.declare(inner)
    }
    #expect(
      error(HostError.self) { _ = try host.open(inner, with: 1) }?.kind == .lockedScope("inner"))
    _ = try host.open(outer, with: 1)
    #expect(
      error(HostError.self) { _ = try host.open(outer, with: 1) }?.kind == .openScope("outer"))
  }

  @Test("errors say how far the history reaches, and that a state does not fit")
  func history() throws {
    let trial = try Trial(
      "state {} action.go {} machine.m { initial = \"a\", a = { go = \"b\" }, b = {} }")
    try trial.host.passing()
    #expect(error(HistoryError.self) { try trial.host.go(to: 7) }?.kind == .outOfReach(0...1))
    #expect(error(HistoryError.self) { try trial.host.undo(2) }?.kind == .outOfReach(0...1))
    #expect(error(HistoryError.self) { try trial.host.redo() }?.kind == .outOfReach(0...1))
    let other = try LoadedFlow(source: "state {} action.go {}")
    #expect(error(HistoryError.self) { try trial.host.reload(to: other) }?.kind == .unfit)
  }

  @Test("errors say what is wrong with an invalid line of a transcript")
  func transcripts() {
    let header = String(Transcript(flow: "f", hash: "", seed: 0).text.dropLast())
    func kind(_ text: String) -> Transcript.Malformed.Kind? {
      error(Transcript.Malformed.self) { _ = try Transcript(text: text) }?.kind
    }
    #expect(kind("no") == .header)
    #expect(kind(header.replacing(":\(Transcript.format),", with: ":99,")) == .format(99))
    #expect(kind(header + "\n{") == .json)
    #expect(kind(header + "\n{\"a\":1}") == .entry)
  }
}
