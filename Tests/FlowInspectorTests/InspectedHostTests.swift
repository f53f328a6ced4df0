import FlowHosting
import FlowKernel
import Testing

@testable import FlowInspector

@Suite struct InspectedHostTests {
  private func host() throws -> FlowHost {
    var options = HostOptions()
    options.clock = .virtual
    options.report = { _ in }
    return try FlowHost(Shop.flow(), options: options)
  }

  @Test("the timeline includes commits before the inspection and rejections after it")
  func timeline() async throws {
    let host = try host()
    try await host.dispatch("place", ["cents": 2])
    let inspection = Inspection(try InspectedHost(host))
    try await host.dispatch("place", ["cents": 2])
    try await host.dispatch("place", ["cents": 0])
    try await host.dispatch("pay")
    let rows = try await inspection.rows(of: host.id, from: 1, limit: 100)
    #expect(
      rows.told == [
        "place passed", "say passed", "place refused", "place failed", "pay passed",
      ])
    #expect(rows["rows"]?[2]?["k"] == "machine order")
    #expect(rows["rows"]?[2]?["f"]?.stringValue?.hasPrefix("shop.lua:") == true)
  }

  @Test("a past state is restored from its own branch of the history, also after an undo")
  func undone()
    async throws
  {
    let host = try host()
    let inspected = try InspectedHost(host)
    try await host.dispatch("say", ["text": "one"])
    try await host.dispatch("say", ["text": "two"])
    try await host.undo()
    try await host.dispatch("say", ["text": "three"])
    #expect(try await inspected.state(of: host.id, at: 2)["note"] == "two")
    #expect(try await inspected.state(of: host.id, at: 3)["note"] == "three")
    let row = try await Inspection(inspected).row(3, 0, of: host.id)
    #expect(row["changes"]?[0]?["old"] == "sone")
  }

  @Test("only the newest rows are kept, and an older state is reported as forgotten")
  func forgotten() async throws {
    let host = try host()
    let inspected = try InspectedHost(host, keeping: 1_000)
    for number in 1...2_000 { try await host.dispatch("say", ["text": .string("\(number)")]) }
    let reach = try await inspected.reach(of: host.id)
    #expect(reach.last == 2_000)
    #expect(reach.first > 900 && reach.first <= 1_501)
    let note = try await inspected.state(of: host.id, at: reach.first)["note"]
    #expect(note == .string("\(reach.first)"))
    await #expect(throws: InspectorMistake.self) { try await inspected.state(of: host.id, at: 1) }
  }

  @Test("a range of a host is exported as a scenario, rejections included")
  func range() async throws {
    let host = try host()
    let inspection = Inspection(try InspectedHost(host))
    try await host.dispatch("place", ["cents": 2])
    try await host.dispatch("place", ["cents": 2])
    try host.advance(5)
    try await host.dispatch("pay")
    let text = try await inspection.scenario(of: host.id, from: 1, to: 4)["text"]?.stringValue ?? ""
    #expect(text.contains("refuse.place { cents = 2 }:by(\"machine order\")"))
    #expect(text.contains("advance(5.0)"))
    #expect(text.contains("pass.pay()"))
  }
}
