import LuaRuntime
import Testing

@Suite struct ValueTests {
  @Test("literals make the corresponding values")
  func literals() {
    #expect(Value.integer(1) == 1)
    #expect(Value.number(1.5) == 1.5)
    #expect(Value.boolean(true) == true)
    #expect(Value.string("a") == "a")
    #expect(Value.list([1, "two"]) == [1, "two"])
    #expect(Value.record(["a": 1]) == ["a": 1])
    #expect(["a": 1, "a": 2] as Value == ["a": 2])
    let name = "x"
    #expect("\(name)y" as Value == .string("xy"))
  }

  @Test("integers and doubles are distinct")
  func subtypes() {
    #expect(Value.integer(1) != Value.number(1))
    #expect(Set<Value>([1, 1.0]).count == 2)
  }

  @Test("fields and elements are read by name and by index, and are nil if missing")
  func access() {
    let value: Value = ["rows": [["id": 7]], "n": 1]
    #expect(value["rows"]?[0]?["id"] == 7)
    #expect(value["nothing"] == nil)
    #expect(value["rows"]?[1] == nil)
    #expect(value["rows"]?[-1] == nil)
    #expect(value["n"]?["deeper"] == nil)
    #expect(value["n"]?[0] == nil)
  }

  @Test("only nil and false are falsy", arguments: [Value.nil, false])
  func falsy(value: Value) { #expect(!value.isTruthy) }

  @Test("zero and the empty text are truthy", arguments: [Value.integer(0), "", [], [:]])
  func truthy(value: Value) { #expect(value.isTruthy) }

  @Test("an empty list can be read as an empty record, and an empty record as an empty list")
  func empty() {
    #expect(Value.record([:]).listValue == [])
    #expect(Value.list([]).recordValue == [:])
    #expect(Value.list([1]).recordValue == nil)
    #expect(Value.record(["a": 1]).listValue == nil)
    #expect(Value.map([1: 2]).listValue == nil)
  }

  @Test("each kind has a name for messages")
  func kindNames() {
    let values: [Value] = [.nil, true, 1, 1.5, "a", [], [:], .map([:])]
    #expect(
      values.map(\.kindName) == [
        "nothing", "a boolean", "an integer", "a number", "a string", "a list", "a record", "a map",
      ])
  }
}
