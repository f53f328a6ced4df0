import FlowHosting
import FlowKernel
import Foundation
import LuaRuntime
import Testing

@testable import FlowExplore

/// Explorations of documents whose sessions start and end, compared with runs in hosts.
@Suite("Explored documents") struct DocumentExplorationTests {
  /// `MOONLATCH_DOCUMENTS=240 scripts/test --filter DocumentExploration` draws as many.
  private static let seeds =
    ProcessInfo.processInfo.environment["MOONLATCH_DOCUMENTS"].flatMap { UInt64($0) } ?? 24

  /// A document of three states, with variables that no `<data>` declares.
  private static func document(_ seed: UInt64) -> String {
    var random = SeededRandom(seed: seed)
    func pick(_ choices: [String]) -> String {
      choices[Int(truncatingIfNeeded: random.next() % UInt64(choices.count))]
    }
    let contents = [
      "", "<script>fresh = 3</script>", "<script>fresh = nil</script>",
      "<assign location=\"n\" expr=\"(n + 1) % 3\"/>", "<script>other = n</script>",
      "<foreach array=\"{ 1, 2 }\" item=\"each\" index=\"at\"><script>n = (n + each) % 3</script></foreach>",
      "<foreach array=\"{ n }\" item=\"each\"><assign location=\"n\" expr=\"(n + 1) % 2\"/></foreach>",
      "<if cond=\"fresh == 3\"><script>fresh = { n }</script></if>",
    ]
    let conditions = ["", " cond=\"fresh == 3\"", " cond=\"n == 0\"", " cond=\"other ~= 2\""]
    let states = ["a", "b", "c"].map { state in
      let transitions = ["go", "new", "turn"].flatMap { event in
        (0..<2).map { _ in
          "<transition event=\"\(event)\" target=\"\(pick(["a", "b", "c"]))\"\(pick(conditions))>"
            + "\(pick(contents))</transition>"
        }
      }
      return
        "<state id=\"\(state)\"><onentry>\(pick(contents))</onentry>\(transitions.joined())</state>"
    }
    return """
      <scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" datamodel="lua" name="m" initial="a">
      <datamodel><data id="n" expr="0"/></datamodel>
      \(states.joined(separator: "\n"))
      </scxml>
      """
  }

  /// The states that hosts come to, each from the beginning.
  private func played(_ flow: LoadedFlow, _ events: [String]) throws -> Set<Value> {
    func state(after path: [String]) throws -> Value {
      let host = try FlowHost(flow, options: HostOptions(clock: .virtual, report: { _ in }))
      for event in path { _ = try host.dispatch(event) }
      return try host.state()
    }
    var known: Set<Value> = [try state(after: [])]
    var level: [[String]] = [[]]
    while !level.isEmpty {
      var next: [[String]] = []
      for path in level {
        for event in events where known.insert(try state(after: path + [event])).inserted {
          next.append(path + [event])
        }
      }
      level = next
    }
    return known
  }

  @Test(
    "variables that appear and disappear are part of a state, and exactly all states are found",
    arguments: 1...seeds)
  func variables(seed: UInt64) throws {
    let text = DocumentExplorationTests.document(seed)
    let flow = try LoadedFlow(source: text, name: "m.scxml")
    var exploration = try Exploration(flow)
    exploration.jobs = 1
    var explored: Set<Value> = []
    exploration.finished = { states in
      for state in states.states {
        explored.insert(
          states.session.values(of: state).withUnsafeBufferPointer { states.session.value(of: $0) })
      }
    }
    let report = try exploration.run()
    #expect(report.ending == .whole)
    #expect(explored == (try played(flow, ["go", "new", "turn"])), "\(text)")
    #expect(report.states == explored.count)
  }

  @Test("the reason for a rejected event is learned with all sessions of a document")
  func sessions() throws {
    let text = """
      <scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" name="m" datamodel="lua" initial="a">
        <state id="a">
          <invoke autoforward="true"><content><scxml version="1.0" datamodel="lua">
            <state id="k"><transition event="ping" target="k"/></state></scxml></content></invoke>
          <transition event="next" target="b"/>
        </state>
        <state id="b"><transition event="quit" target="pass"/></state>
        <final id="pass"/>
      </scxml>
      """
    var exploration = try Exploration(LoadedFlow(source: text, name: "m.scxml"))
    exploration.verifies = true
    #expect(try exploration.run().ending == .whole)
  }
}
