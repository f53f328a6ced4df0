import FlowKernel
import LuaRuntime
import Testing

@testable import Scenarios

@Suite struct OpenCasesTests {
  private func known() throws -> KnownCases {
    let flow = try LoadedFlow(source: "action.add {}")
    let events = LogEvents(flow.flow, action: nil, map: nil, header: []) { _ in nil }
    return KnownCases(flow, events, Limits(), remembers: true) { _ in }
  }

  private func find(_ name: String, _ cases: OpenCases, _ known: KnownCases) throws -> ReplayCase? {
    var name = name
    return try name.withUTF8 { try cases.find($0, known) }
  }

  @Test("a case is open until the next one begins, and then it is closed")
  func sorted() throws {
    let (known, cases) = (try known(), OpenCases(isInterleaved: false))
    let first = try #require(try find("a", cases, known))
    #expect(try find("a", cases, known) === first)
    #expect(first.title == "a")
    #expect(try find("ab", cases, known) !== first)
    #expect(try find("a", cases, known) == nil)
    #expect(try find("ab", cases, known) != nil)
    #expect(cases.count == 2)
    #expect(cases.whole == 2)
  }

  @Test("with interleaved cases all stay open")
  func interleaved() throws {
    let (known, cases) = (try known(), OpenCases(isInterleaved: true))
    let names = (0..<300).map { "case \($0)" }
    let found = try names.map { try find($0, cases, known) }
    for (name, opened) in zip(names, found) { #expect(try find(name, cases, known) === opened) }
    #expect(cases.count == 300)
    #expect(cases.whole == 300)
  }
}
