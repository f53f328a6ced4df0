import FlowKernel
import FlowTools
import Foundation
import StateCharts
import Testing

/// Flows written as SCXML, which are read back as the same chart.
@Suite struct SCXMLWriterTests {
  /// The flows of the examples.
  static let flows: [(path: String, flow: LoadedFlow)] = {
    let examples = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "examples")
    let found = FileManager.default.enumerator(atPath: examples.path)?.compactMap { $0 as? String }
    return (found ?? []).filter {
      let name = $0.split(separator: "/").last ?? ""
      return name.hasSuffix(".lua") && name.split(separator: ".").count == 2
    }.sorted().compactMap { path in
      // The modules of examples are no flows.
      (try? LoadedFlow(examples.appending(path: path))).map { (path, $0) }
    }
  }()

  static let documents = [
    """
    <scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" name="all" datamodel="lua" initial="b2 c">
    <state id="a"><transition event="go go.* x" cond="1 &lt; 2 and 'a' ~= &quot;b&quot;" target="h"/><transition event="*"/><transition cond="false" target="p"/></state>
    <parallel id="p"><history id="h" type="deep"><transition target="b2 c"/></history><state id="b" initial="b2"><state id="b1"/><state id="b2"><transition event="in" type="internal" target="b2"/></state><transition event="in" type="internal" target="b1"/></state>
    <state id="c"><history id="hc"><transition target="c1"/></history><state id="c1"/><final id="c2"/><transition event="done.state.c" target="end"/></state></parallel>
    <final id="end"/></scxml>
    """,
    """
    <scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" name="asks"><parallel id="p"><state id="a"/><state id="b"><transition cond="In('a')" target="e"/></state></parallel><final id="e"/></scxml>
    """,
  ]

  /// A chart by the ids of its states, without what only its own format can say.
  static func shape(_ chart: Chart) -> [String] {
    chart.states.map { state in
      let parent = state.parent < 0 ? "" : chart.states[Int(state.parent)].name
      let initial = state.initial.map { $0.targets.map { chart.states[Int($0)].name } } ?? []
      let transitions = state.transitions.map { transition in
        "\(transition.trigger) \(transition.targets.map { chart.states[Int($0)].name }) \(transition.reach) \(transition.condition != nil)"
      }
      return "\(parent)/\(state.name) \(state.kind) \(initial) \(transitions)"
    }
  }

  static func written(_ loaded: LoadedFlow) throws -> (text: String, flow: LoadedFlow) {
    let text = SCXMLWriter.export(FlowText(loaded)).text
    return (text, try LoadedFlow(source: text, name: "again.scxml"))
  }

  @Test("a document has the same chart after a round trip", arguments: documents)
  func rewritten(text: String) throws {
    let loaded = try LoadedFlow(source: text, name: "first.scxml")
    let (again, flow) = try Self.written(loaded)
    #expect(
      flow.flow.machines.map { Self.shape($0.chart) }
        == loaded.flow.machines.map { Self.shape($0.chart) }, "\(again)")
    #expect(try Self.written(flow).text == again)
  }

  @Test("a flow that is written as a document has its machines' states, and can be read again")
  func written() throws {
    #expect(Self.flows.count > 10)
    for (path, loaded) in Self.flows where !loaded.flow.machines.isEmpty {
      let (text, flow) = try Self.written(loaded)
      let chart = try #require(flow.flow.machines.first).chart
      let names = chart.states.map(\.name)
      for machine in loaded.flow.machines {
        for state in machine.chart.states.dropFirst() where !state.name.hasPrefix("#") {
          // Blanks end a name in a document.
          let name = state.name.replacing(" ", with: "_")
          #expect(
            names.contains { $0 == name || $0.hasSuffix(".\(name)") },
            "\(path): \(state.path)\n\(text)")
        }
        let finals = machine.chart.states.count { $0.kind == .final }
        #expect(chart.states.count { $0.kind == .final } >= finals, "\(path)")
      }
      let again = try Self.written(flow)
      #expect(
        again.flow.flow.machines.map { Self.shape($0.chart) } == [Self.shape(chart)],
        "\(path)\n\(text)")
    }
  }
}
