#if Server
  import FlowCases
  import FlowHosting
  import FlowKernel
  import HTTPTesting

  @testable import MoonlatchInspector

  /// An inspector that a test asks.
  struct InspectedShop: RawAsked {
    static let source = """
      state { cents = optional(integer { min = 1 }) }
      action.place { cents = integer { min = 1 } }
      machine.order { initial = "empty", empty = { place = "open" }, open = { final = true } }
      function reduce.place(s, a) s.cents = a.cents end
      """

    let inspector: Inspector
    let cases: Cases
    var token: String { String(inspector.url.split(separator: "=").last ?? "") }
    var port: Int { inspector.port }

    static func inspect(
      isReadOnly: Bool = false, _ body: (InspectedShop) async throws -> Void
    ) async throws {
      let flow = try LoadedFlow(source: source, name: "shop.lua")
      let cases = try await Cases(of: flow, in: MemoryJournal())
      try await cases.create("a")
      let inspector = try await Inspector(cases, isReadOnly: isReadOnly) { _ in }
      try await body(InspectedShop(inspector: inspector, cases: cases))
      inspector.stop()
      try await cases.close()
    }
  }
#endif
