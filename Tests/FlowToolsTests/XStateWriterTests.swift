import FlowKernel
import FlowTools
import Foundation
import LuaRuntime
import Testing

/// Flows that are written for Stately's editor.
@Suite struct XStateWriterTests {
  @Test("each target in XState's machines is the id of a state, and each initial state a child")
  func xstate() throws {
    let all =
      try SCXMLWriterTests.flows.map(\.flow)
      + SCXMLWriterTests.documents.map { try LoadedFlow(source: $0, name: "first.scxml") }
    for loaded in all where !loaded.flow.machines.isEmpty {
      let text = XStateWriter.export(FlowText(loaded)).text
      let machine = try JSONText.value(of: text)
      #expect(machine["description"]?.stringValue?.hasPrefix("written by moonlatch graph") == true)
      var (ids, targets): (Set<String>, [String]) = ([], [])
      Self.walk(machine, &ids, &targets)
      #expect(
        Set(targets).subtracting(ids.map { "#\($0.replacing(".", with: "\\."))" }) == [], "\(text)")
    }
  }

  @Test("regions keep their order, and ids and keys are distinct")
  func order() throws {
    let flow = try LoadedFlow(
      source: """
        state {} action.a {} action["b.c"] {}
        machine.desk { parallel = { "zeta", "10", "alpha" },
          zeta = { initial = "off", off = { a = "on" }, on = { a = { to = "off", history = nil } } },
          ["10"] = { initial = "off", off = { ["b.c"] = "on" }, on = {} }, alpha = {} }
        """, name: "desk.lua")
    let text = XStateWriter.export(FlowText(flow)).text
    let places = ["\"zeta\": {", "\"_10\": {", "\"alpha\": {"].map {
      text.range(of: $0)?.lowerBound
    }
    #expect(!places.contains(nil) && places.compactMap { $0 } == places.compactMap { $0 }.sorted())
    let two = try LoadedFlow(
      source: """
        state {} action.a {}
        machine.desk { initial = "x", x = { a = "desk" }, desk = {} }
        machine.lamp { initial = "x", x = { a = "desk" }, desk = {} }
        """, name: "desk.lua")
    let ids = try NSRegularExpression(pattern: "\"id\": \"([^\"]*)\"")
    let written = XStateWriter.export(FlowText(two)).text
    let found = ids.matches(in: written, range: NSRange(written.startIndex..., in: written))
      .compactMap {
        Range($0.range(at: 1), in: written).map { String(written[$0]) }
      }
    #expect(found.count == 7 && Set(found).count == 7, "\(written)")
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
