import FlowTools
import Foundation
import LuaRuntime
import Moonlatch
import Testing

/// Flows that are written for Stately's editor.
@Suite struct XStateWriterTests {
  @Test("of XState's machines each target is the id of a state, and each beginning a child")
  func xstate() throws {
    let all =
      try SCXMLWriterTests.flows.map(\.flow)
      + SCXMLWriterTests.documents.map { try LoadedFlow(source: $0, name: "first.scxml") }
    for loaded in all where !loaded.flow.machines.isEmpty {
      let text = XStateWriter.text(FlowText(loaded))
      let machine = try JSONText.value(of: text)
      #expect(machine["description"] == "written by moonlatch graph")
      var (ids, targets): (Set<String>, [String]) = ([], [])
      Self.walk(machine, &ids, &targets)
      #expect(Set(targets).subtracting(ids.map { "#\($0)" }) == [], "\(text)")
    }
  }

  static func walk(_ node: Value, _ ids: inout Set<String>, _ targets: inout [String]) {
    if let id = node["id"]?.stringValue { ids.insert(id) }
    let states = node["states"]?.recordValue ?? [:]
    if let initial = node["initial"]?.stringValue { #expect(states[initial] != nil) }
    let lists = ["on", "after"].flatMap { (node[$0]?.recordValue ?? [:]).values }
    for list in lists + ["always", "onDone"].compactMap({ node[$0] }) {
      for transition in list.listValue ?? [] {
        #expect(transition["guard"].map { $0.stringValue != nil } ?? true)
        #expect(transition["actions"].map { $0.stringValue != nil } ?? true)
        if let target = transition["target"]?.stringValue { targets.append(target) }
        for target in transition["target"]?.listValue ?? [] {
          targets.append(target.stringValue ?? "")
        }
      }
    }
    if let target = node["target"]?.stringValue { targets.append(target) }
    for child in states.values { walk(child, &ids, &targets) }
  }
}
