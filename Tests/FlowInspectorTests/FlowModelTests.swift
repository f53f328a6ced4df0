import FlowKernel
import LuaRuntime
import Testing

@testable import FlowInspector

@Suite struct FlowModelTests {
  @Test(
    "a form has the constraints of its types: minimum, maximum, pattern, samples, nested fields")
  func form() throws {
    let model = Value.record(FlowModel(try Shop.flow()).data)
    let actions = Dictionary(
      uniqueKeysWithValues: (model["actions"]?.listValue ?? []).map {
        ($0["name"]?.stringValue ?? "", $0)
      })
    let cents = actions["place"]?["payload"]?["fields"]?[0]?["type"]
    #expect(cents?["kind"] == "integer")
    #expect(cents?["min"] == "1")
    #expect(cents?["samples"] == ["250"])
    let note = actions["place"]?["payload"]?["fields"]?[1]?["type"]
    #expect(note?["kind"] == "optional")
    #expect(note?["element"]?["pattern"] == "^%l+$")
    let line = actions["add"]?["payload"]?["fields"]?[0]?["type"]
    #expect(line?["kind"] == "record")
    #expect(line?["fields"]?[0]?["type"]?["default"] == "1")
    #expect(line?["fields"]?[1]?["type"]?["values"] == ["\"soup\"", "\"pie\""])
    #expect(actions["tell"]?["payload"]?["fields"]?[0]?["type"]?["secret"] == true)
    #expect(actions["remind"]?["internal"] == true)
  }

  @Test("an arrow of a chart names its actions")
  func arrows() throws {
    let arrows = FlowModel(try Shop.flow()).data["machines"]?[0]?["arrows"]?.listValue ?? []
    #expect(
      Set(arrows.compactMap { $0["actions"]?[0]?.stringValue }) == ["place", "pay", "remind"])
  }

  @Test("delays are shown as people write durations")
  func delays() throws {
    let flow = try LoadedFlow(
      source: """
        state { orders = map_of { { stage = string } } }
        action.pay {} action.put { id = integer } internal.expire {}
        machine.order { initial = "open", open = { pay = "done", after = { expire = "14d" }, expire = "done" },
          done = { after = { { "36h", "open" } } } }
        """, name: "order.lua")
    let model = FlowModel(flow).data
    let labels = (model["machines"]?[0]?["arrows"]?.listValue ?? []).flatMap {
      $0["labels"]?.listValue ?? []
    }.compactMap(\.stringValue)
    #expect(labels.contains { $0.contains("after 14 days") })
    #expect(labels.contains { $0.contains("after 1 day 12 h") })
  }
}
