import LuaRuntime
import Testing

/// The functions of `table` over lists and maps.
@Suite struct CollectionsTests {
  private func run(_ script: String) throws -> [Value] {
    try LuaVM(memoryLimit: 8 << 20).run(script)
  }

  @Test("count gives the number of elements of lists, maps and empty tables")
  func count() throws {
    #expect(try run("return table.count({ 1, 2, 3 }), table.count({ a = 1, b = 2 })") == [3, 2])
    #expect(try run("return table.count({})") == [0])
  }

  @Test("sum adds elements, or the results of a function of element and key")
  func sum() throws {
    #expect(try run("return table.sum({ 1, 2, 3 }), table.sum({})") == [6, 0])
    #expect(
      try run("return table.sum({ a = 1, b = 2 }, function(n, key) return n * #key end)") == [3])
    #expect(try run("return table.sum({ 0.5, 1 })") == [1.5])
    #expect(throws: ScriptError.self) { try run("return table.sum({ {} })") }
  }

  @Test("map and filter make lists of lists and maps of maps")
  func kinds() throws {
    #expect(try run("return table.map({ 1, 2 }, function(n) return n * 2 end)") == [[2, 4]])
    #expect(
      try run("return table.map({ a = 1 }, function(n, key) return key .. n end)") == [["a": "a1"]])
    #expect(try run("return table.filter({ 3, 4, 5 }, function(n) return n ~= 4 end)") == [[3, 5]])
    #expect(
      try run("return table.filter({ a = 1, b = 2 }, function(n) return n > 1 end)") == [["b": 2]])
    #expect(try run("return #table.filter({ 1 }, function() return false end)") == [0])
  }

  @Test("map leaves out elements whose result is nil, without holes")
  func leftOut() throws {
    #expect(
      try run("return table.map({ 1, 2, 3 }, function(n) if n ~= 2 then return n end end)")
        == [[1, 3]])
  }

  @Test("find gives the first element that fits, and its key")
  func find() throws {
    #expect(try run("return table.find({ 4, 5, 6 }, function(n) return n > 4 end)") == [5, 2])
    #expect(try run("return table.find({ 4 }, function() return false end)") == [.nil])
  }

  @Test("any and all stop at the element that decides")
  func stopping() throws {
    let script = """
      local asked = 0
      local function isTwo(n) asked = asked + 1 return n == 2 end
      local any = table.any({ 1, 2, 3 }, isTwo)
      local all = table.all({ 1, 2, 3 }, isTwo)
      return any, all, asked, table.any({}, isTwo), table.all({}, isTwo)
      """
    #expect(try run(script) == [true, false, 3, false, true])
  }

  @Test("copy is deep, and the copy can be changed alone")
  func copy() throws {
    let script = """
      local original = { list = { 1, { a = 2 } }, text = "x" }
      local copy = table.copy(original)
      copy.list[2].a = 3
      return original.list[2].a, copy.list[2].a, copy.text, table.copy(5)
      """
    #expect(try run(script) == [2, 3, "x", 5])
  }

  @Test("copy refuses a table that contains itself")
  func cycle() throws {
    let vm = try LuaVM(memoryLimit: 8 << 20)
    let error = vm.error(of: "local t = {} t.t = t table.copy(t)")
    #expect(error?.message.hasPrefix("table.copy: values are nested more than ") == true)
  }

  @Test(
    "a coroutine may yield in the function", arguments: ["map", "filter", "find", "any", "all"])
  func yielding(name: String) throws {
    let script = """
      local seen = {}
      local walk = coroutine.wrap(function()
        table.\(name)({ 1, 2 }, function(n)
          coroutine.yield(n)
          return "\(name)" ~= "find" and "\(name)" ~= "any"
        end)
      end)
      return walk(), walk()
      """
    #expect(try run(script) == [1, 2])
  }

  @Test("work is charged by the number of elements")
  func charged() throws {
    let vm = try LuaVM(memoryLimit: 64 << 20)
    let script = "local t = {} for i = 1, 1000 do t[i] = i end return table.count(t)"
    #expect(vm.error(of: script, budget: 8_000) == nil)
    #expect(
      vm.error(
        of: "local t = {} for i = 1, 1000 do t[i] = i end for i = 1, 20 do table.count(t) end",
        budget: 8_000)?.kind == .limit)
  }

  @Test(
    "an argument that is no table or no function is an error",
    arguments: ["map", "filter", "find", "any", "all"])
  func misused(name: String) throws {
    let vm = try LuaVM(memoryLimit: 8 << 20)
    #expect(vm.error(of: "table.\(name)(1, type)")?.message.contains("table expected") == true)
    #expect(vm.error(of: "table.\(name)({}, 1)")?.message.contains("function expected") == true)
  }
}
