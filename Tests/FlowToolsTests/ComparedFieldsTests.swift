import FlowKernel
import Testing

@testable import FlowTools

/// Payloads with values that the state does not accept, and the gates that refuse these values.
@Suite struct ComparedFieldsTests {
  /// Returns the kinds of the findings of a flow whose action `set` writes its payload's n to the state.
  private func kinds(gate: String) throws -> Set<Finding.Kind> {
    let loaded = try LoadedFlow(
      source: """
        state { n = integer { min = 0, max = 10, default = 0 } }
        action.set { n = integer }
        \(gate)
        function reduce.set(s, a) s.n = a.n end
        """, name: "f.lua")
    let check = FlowCheck(text: FlowText(loaded), viewsReadOutside: nil)
    return Set(try check.findings().map(\.kind))
  }

  @Test("a payload with more values than the state is reported")
  func wider() throws {
    #expect(try kinds(gate: "") == [.widerValue])
    #expect(
      try kinds(gate: "function gate.set(s, a) return s.n < 10, \"full\" end") == [.widerValue])
  }

  @Test(
    "a gate that compares the field, or passes it on, is assumed to refuse the rest",
    arguments: [
      "return a.n >= 0 and a.n <= 10, \"no\"", "local n = a.n return n <= 10, \"no\"",
      "return s.n + a.n <= 10, \"no\"", "return math.abs(a.n) == a.n, \"no\"",
      "return fits(a), \"no\"", "return fits(a.n), \"no\"",
    ])
  func compared(body: String) throws {
    let gate = """
      local function fits(value) return value ~= nil end
      function gate.set(s, a) \(body) end
      function view.fits(s) return fits(s.n) end
      """
    #expect(try kinds(gate: gate) == [])
  }

  @Test("long sums and chains of locals are checked in time, and without exhausting the stack")
  func long() throws {
    let sum = Array(repeating: "s.n", count: 20_000).joined(separator: "\n + ")
    #expect(
      try kinds(gate: "function gate.set(s, a) return \(sum) < 1, \"no\" end") == [.widerValue])
    let locals = (1...150).map { "local v\($0) = v\($0 - 1) + v\($0 - 1)" }.joined(separator: "\n")
    let chain = "function gate.set(s, a)\nlocal v0 = s.n\n\(locals)\nreturn v150 < 1, \"no\" end"
    #expect(try kinds(gate: chain) == [.widerValue])
  }
}
