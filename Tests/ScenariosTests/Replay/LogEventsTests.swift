import FlowKernel
import Testing

@testable import Scenarios

@Suite struct LogEventsTests {
  private static let flow = """
    action.add { amount = optional(integer), note = optional(string) }
    action["T02 Check"] {}
    function reduce.add() end
    """

  /// The events of a log: their bytes and what they stand for.
  private func events(_ log: String) throws -> (bytes: [[UInt8]], events: [String]) {
    var reader = try LogReader(source(log.utf8))
    let action = try #require(try reader.column("do"))
    let events = try LogEvents(
      try LoadedFlow(source: LogEventsTests.flow).flow, action: action, map: nil,
      header: reader.header, column: reader.column)
    var found: (bytes: [[UInt8]], events: [String]) = ([], [])
    while let (_, row) = try reader.next() {
      if let nothing = events.read(row) {
        guard case .malformed(let reason) = nothing else { continue }
        found.events.append(reason)
        continue
      }
      let (action, payload) = events.event(events.bytes)
      found.bytes.append(Array(events.bytes))
      found.events.append("\(action) \(payload)")
    }
    return found
  }

  @Test("columns that the action does not declare do not distinguish events")
  func columns() throws {
    let (bytes, events) = try events(
      "who,do,amount,note\na,add,1,\nb,add,1,\nc,add,,1\nd,T02 Check,1,\ne,T02 Check,2,x\nf,kick,3,\n"
    )
    #expect(
      events == [
        "add { amount = 1 }", "add { amount = 1 }", #"add { note = "1" }"#, "T02 Check {}",
        "T02 Check {}", "kick {}",
      ])
    #expect(bytes[0] == bytes[1])
    #expect(bytes[0] != bytes[2])
    #expect(bytes[3] == bytes[4])
  }

  @Test("fields of JSON lines keep their kind of number, and undeclared ones are dropped")
  func jsonLines() throws {
    let (bytes, events) = try events(
      """
      {"do":"add","amount":1,"x":1}
      {"amount":1,"do":"add","note":null}
      {"do":"add","amount":1.0}
      {"do":"add","amount":[1,{"a":null}]}
      {"do":"kick","amount":1}
      {"do":7}
      {"do":true}
      {"amount":1}
      """)
    #expect(
      events == [
        "add { amount = 1 }", "add { amount = 1 }", "add { amount = 1.0 }",
        "add { amount = { 1, { a = nil } } }", "kick {}", "7 {}", "no action in \"do\"",
        "no action in \"do\"",
      ])
    #expect(bytes[0] == bytes[1])
    #expect(bytes[0] != bytes[2])
  }

  @Test("a row without an action, or with an unknown one, is reported")
  func missing() throws {
    #expect(
      try events("who,do\na,\nb\n").events == [
        "no action in \"do\"", "1 cells, but the header names 2 columns",
      ])
  }
}
