import Testing

@testable import FlowKernel

@Suite struct EnabledTransitionsTests {
  /// How often an array has another place in memory than before.
  private func moves<Element>(
    _ count: Int, _ array: (EnabledTransitions) -> [Element]?,
    add: (inout EnabledTransitions) -> Void
  ) -> Int {
    var plan = EnabledTransitions()
    var moves = 0
    var last: UnsafeRawPointer?
    for _ in 0..<count {
      add(&plan)
      let place = array(plan)?.withUnsafeBytes { $0.baseAddress }
      if place != last { moves += 1 }
      last = place
    }
    return moves
  }

  @Test("adding a machine copies none of the earlier ones")
  func machines() throws {
    let flow = try LoadedFlow(
      source: "state {} action.go {} machine.m { initial = \"a\", a = { go = \"b\" }, b = {} }")
    let subject = ChartSubject(machine: try #require(flow.machines.first), leafNumbers: [])
    for (count, most) in [(10, 5), (100, 8), (1_000, 12)] {
      #expect(moves(count, { $0.additions?.selections }) { $0.add(.selected(subject, [])) } <= most)
    }
  }

  @Test("adding the options of a gatekeeper copies none of the others")
  func passages() {
    let option = GatekeeperOption(gatekeeper: "k", option: "o")
    for (count, most) in [(10, 5), (100, 8), (1_000, 12)] {
      #expect(moves(count, { $0.additions?.takes }) { $0.add(resets: [], takes: [option]) } <= most)
    }
  }

  @Test("added transitions are kept in order, without others")
  func order() throws {
    let flow = try LoadedFlow(
      source: "state {} action.go {} machine.m { initial = \"a\", a = { go = \"b\" }, b = {} }")
    let subject = ChartSubject(machine: try #require(flow.machines.first), leafNumbers: [])
    var plan = EnabledTransitions()
    #expect(!plan.moves)
    plan.add(.selected(subject, []))
    plan.add(
      resets: [GatekeeperOption(gatekeeper: "k", option: "a")],
      takes: [GatekeeperOption(gatekeeper: "k", option: "b")])
    plan.add(.selected(subject, []))
    plan.add(resets: [GatekeeperOption(gatekeeper: "l", option: "c")], takes: [])
    #expect(plan.moves)
    #expect(plan.selections.count == 2)
    #expect(plan.resets.map(\.option) == ["a", "c"])
    #expect(plan.takes.map(\.option) == ["b"])
  }
}
