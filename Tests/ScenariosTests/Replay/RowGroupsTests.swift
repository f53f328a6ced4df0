import Testing

@testable import Scenarios

@Suite struct RowGroupsTests {
  @Test(
    "messages that differ only in values belong to one group",
    arguments: [
      ("no time in \"at\": \"x\\\"1\"", "no time in \"at\": \"y\"", true),
      ("3 cells, but the header names 4 columns", "5 cells, but the header names 4 columns", true),
      ("card N123-b is unknown", "card 7 is unknown", true),
      ("n must be an integer, got true", "n must be an integer, got { 1, x = false }", true),
      ("map.lua:3: no", "map.lua:4: no", false), ("no case", "no action", false),
      ("\"a", "\"b", true), ("", "", true),
    ])
  func rule(one: String, other: String, isSame: Bool) {
    #expect((RowGroups.rule(of: one) == RowGroups.rule(of: other)) == isSame)
  }

  @Test("a group has the message of its first row, and the number of others")
  func groups() {
    var groups = RowGroups()
    for (line, message) in ["b", "no \"a\"", "no \"a\"", "b", "b", "no 1"].enumerated() {
      groups.add(message, line: line + 2)
    }
    #expect(
      groups.groups.map(\.text) == ["b (and 2 more rows)", "no \"a\" (and 1 more row)", "no 1"])
    groups.add("no \"x\"", line: 9)
    #expect(groups.groups[1].text == "no \"a\" (and 2 more rows with other values)")
    #expect(groups.rows == 7)
  }

  @Test("groups beyond the limit are counted together")
  func most() {
    var groups = RowGroups()
    for number in 0..<RowGroups.most + 5 {
      groups.add(String(repeating: "a", count: number), line: number)
    }
    #expect((groups.groups.count, groups.ungrouped) == (RowGroups.most, 5))
  }
}
