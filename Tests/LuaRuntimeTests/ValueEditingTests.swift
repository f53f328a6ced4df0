import LuaRuntime
import Testing

/// Changes of values outside the VM.
@Suite struct ValueEditingTests {
  @Test("fields and elements can be set, removed and appended")
  func editing() {
    var value: Value = ["name": "tea", "tags": ["a"]]
    value["price"] = 3.5
    value["name"] = nil
    value["tags"]?.append("b")
    value["tags"]?[0] = "c"
    value["tags"]?[2] = "d"
    #expect(value == ["price": 3.5, "tags": ["c", "b", "d"]])
    value["tags"]?[1] = nil
    #expect(value["tags"] == ["c", "d"])
  }

  @Test("an empty table takes a field or an element, and what is no table stays as it is")
  func empty() {
    var record: Value = []
    record["n"] = 1
    #expect(record == ["n": 1])
    var list: Value = [:]
    list.append(1)
    #expect(list == [1])
    var number: Value = 1
    number["n"] = 1
    number[0] = 1
    number.append(1)
    #expect(number == 1)
    list[5] = 1
    #expect(list == [1])
  }
}
