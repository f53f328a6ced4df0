import Foundation
import Testing

@testable import FlowHosting
@testable import FlowKernel

/// Snapshots of hosts.
@Suite struct SnapshotTests {
  private let flow = """
    state { n = 0, list = list {} } action.go {} action.late {}
    function reduce.go(s) s.n = s.n + random(10) end
    function reduce.late(s) table.insert(s.list, now()) end
    function effect.go() after(5, "late") end
    """

  private let options = HostOptions(clock: .virtual, report: { _ in })

  @Test("a host continues from the snapshot of another, through JSON")
  func restored() throws {
    let loaded = try LoadedFlow(source: flow)
    let one = try FlowHost(loaded, options: options)
    try one.dispatch("go")
    try one.advance(3)
    let data = try JSONEncoder().encode(one.snapshot())
    let other = try FlowHost(
      loaded, restoring: JSONDecoder().decode(Snapshot.self, from: data), options: options)
    for host in [one, other] {
      try host.advance(2)
      try host.dispatch("go")
    }
    #expect(try one.state() == other.state())
    #expect(try other.state()["list"] == [5.0])
    #expect(try other.revision == 3)
  }

  @Test("another text takes over a snapshot like a reload")
  func anotherText() throws {
    let one = try FlowHost(LoadedFlow(source: flow), options: options)
    try one.dispatch("go")
    let text = flow.replacingOccurrences(of: "n = 0,", with: "n = 0, more = 7,")
    let other = try FlowHost(
      LoadedFlow(source: text), restoring: one.snapshot(), options: options)
    #expect(try other.state()["more"] == 7)
    #expect(try other.state()["n"] == one.state()["n"])
  }

  @Test("an invalid snapshot is an error")
  func damaged() throws {
    let one = try FlowHost(LoadedFlow(source: flow), options: options)
    let snapshot = try one.snapshot()
    let broken = Snapshot(
      flow: snapshot.flow, version: 1, revision: 0, texts: snapshot.texts,
      body: Array(snapshot.body.dropLast(3)))
    let error = #expect(throws: JournalError.self) {
      try FlowHost(LoadedFlow(source: flow), restoring: broken, options: options)
    }
    #expect(error?.kind == .unreadable)
  }

  @Test("bytes of a snapshot that are truncated anywhere are rejected")
  func cut() throws {
    let one = try FlowHost(LoadedFlow(source: flow), options: options)
    try one.dispatch("go")
    let snapshot = try one.snapshot()
    for count in snapshot.body.indices {
      #expect(throws: (any Error).self) { try CaseImage(image: Array(snapshot.body.prefix(count))) }
    }
  }
}
