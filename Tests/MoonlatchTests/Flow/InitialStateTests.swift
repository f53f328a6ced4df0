import Testing

@Suite struct InitialStateTests {
  private func flow(_ value: String) -> String {
    """
    local odd = {}
    odd.self = odd
    local same = { 1, 2 }
    local rows = {}
    for i = 1, 100 do rows[i] = { id = i, at = \(value) } end
    state { count = 0, rows = rows }
    """
  }

  @Test(
    "an error within a large state has its place",
    arguments: [
      ("i ~= 50 and 1 or error", "state.rows[50].at: a function is not plain data"),
      ("i ~= 50 and 1 or 0 / 0", "state.rows[50].at: NaN is not plain data"),
      ("i ~= 50 and 1 or '\\xff'", "state.rows[50].at: strings are UTF-8"),
      ("i ~= 50 and 1 or { ['\\xff'] = 1 }", "state.rows[50].at: keys are UTF-8"),
      (
        "i ~= 50 and 1 or { 1, 2, nil, 4 }",
        "state.rows[50].at: a list has the keys 1 to n without holes"
      ),
      (
        "i ~= 50 and 1 or { [0] = 1, 2 }",
        "state.rows[50].at: a list has the keys 1 to n without holes"
      ),
      (
        "i ~= 50 and 1 or { 1, n = 1 }",
        "state.rows[50].at: a table has either named keys or the keys 1 to n, not both"
      ),
      ("i ~= 50 and 1 or { [1.5] = 1 }", "state.rows[50].at[1.5]: keys are strings or integers"),
      (
        "i ~= 50 and 1 or {}",
        "state.rows[50].at: an empty table can be a list or a map; write list {} or map {}"
      ),
      (
        "i ~= 50 and 1 or odd",
        "state.rows[50].at.self: a table cannot contain itself (a cycle)"
      ),
      (
        "i ~= 50 and 1 or setmetatable({ 1 }, {})",
        "state.rows[50].at: a table with a metatable is not plain data"
      ),
    ])
  func faulty(value: String, message: String) throws {
    #expect(faults(of: flow(value)) == ["flow.lua:6: " + message])
  }

  @Test("an error in a type within a large state has its place")
  func type() throws {
    let first = try #require(faults(of: flow("i ~= 50 and 1 or list_of(integer)")).first)
    #expect(first.hasPrefix("flow.lua:6: state.rows[50].at: list_of is a type"), "\(first)")
  }

  @Test(
    "a large state may have any plain data",
    arguments: [
      "same", "{ same, same }", "map { [7] = 1, [9] = same }", "map {}", "list {}", "list { 1 }",
      "none", "-0.0", "1 / 0", "{ a = { b = { c = 'd' } } }", "i % 2 == 0", "map { [-1] = 'x' }",
    ])
  func fine(value: String) throws {
    #expect(faults(of: flow(value)) == [])
  }

  @Test("a table referenced from many places takes no longer than the limit allows")
  func shared() {
    let faults = faults(
      of: """
        local t = { 1 }
        for _ = 1, 60 do t = { t, t } end
        state { t = t }
        """)
    #expect(faults.count == 1)
    #expect(faults.first?.contains("the instruction limit is reached") == true, "\(faults)")
  }
}
