import LuaRuntime
import Testing

@Suite struct LuaVMImageTests {
  private func vm(limit: Int = 8 << 20) throws -> LuaVM {
    let vm = try LuaVM(memoryLimit: limit)
    try vm.run("seen = 'before'  count = 0")
    #expect(vm.keepImage())
    return vm
  }

  @Test("restoring an image restores globals, memory and the count of instructions")
  func goesBack() throws {
    let vm = try vm()
    let memory = vm.memoryUsed
    let instructions = vm.instructionsUsed
    for _ in 0..<3 {
      try vm.run("seen = 'after'  other = {}  for i = 1, 1000 do other[i] = { tostring(i) } end")
      #expect(try vm.run("return seen, #other") == ["after", 1000])
      #expect(vm.memoryUsed > memory)
      #expect(vm.goBack())
      #expect(vm.memoryUsed == memory)
      #expect(vm.instructionsUsed == instructions)
      #expect(try vm.run("return seen") == ["before"])
      #expect(vm.error(of: "return other")?.message == "global other is not defined")
      #expect(vm.goBack())
    }
  }

  @Test("every run from an image is the same, whatever ran before it")
  func same() throws {
    let vm = try vm()
    let script = """
      local out, keys = {}, {}
      for i = 1, 200 do keys["k" .. i] = i end
      for name, value in pairs(keys) do out[#out + 1] = name .. value end
      count = count + 1
      return count, table.concat(out, " "), #string.rep("x", 5000)
      """
    let before = [
      "return", "for i = 1, 3000 do _ENV['g' .. i] = {} end", "local t = {} t[1] = t error(t)",
      "local s = string.rep('x', 300000) keep = s .. s",
      "co = coroutine.wrap(function() coroutine.yield(1) end) co()",
      "while true do end", "local t = {} for i = 1, 1e9 do t[i] = { i } end",
      "local function f() return f() + 1 end f()",
    ]
    let first = try vm.run(script)
    let memory = vm.memoryUsed
    for text in before {
      #expect(vm.goBack())
      _ = vm.error(of: text, budget: 3_000_000)
      #expect(vm.goBack())
      #expect(try vm.run(script) == first)
      #expect(vm.memoryUsed == memory)
    }
  }

  @Test("blocks of the image that were freed, moved or overwritten are restored")
  func blocks() throws {
    let vm = try LuaVM(memoryLimit: 8 << 20)
    try vm.run(
      """
      list = {}
      for i = 1, 2000 do list[i] = i end
      text = string.rep("y", 10000)
      """)
    #expect(vm.keepImage())
    for _ in 0..<3 {
      try vm.run("for i = 1, 90000 do list[i] = -i end  text = nil")
      vm.collectGarbage()
      try vm.run("list = nil")
      vm.collectGarbage()
      #expect(vm.goBack())
      #expect(
        try vm.run("return #list, list[1], list[2000], #text") == [2000, 1, 2000, 10000])
      vm.collectGarbage()
    }
  }

  @Test("a run that a limit ended leaves no limit behind")
  func limits() throws {
    let vm = try vm(limit: 1 << 20)
    #expect(vm.error(of: "local t = {} for i = 1, 1e9 do t[i] = { i } end")?.kind == .memory)
    #expect(vm.goBack())
    #expect(vm.error(of: "while true do end", budget: 5000)?.kind == .limit)
    #expect(vm.goBack())
    #expect(try vm.run("return count") == [0])
  }

  @Test("a host function of the image can be provided again with another closure")
  func provided() throws {
    let vm = try LuaVM(memoryLimit: 8 << 20)
    try vm.provide("call") { _ in ["first"] }
    let prelude = try vm.load(
      Array("host.set_global('call', function() return host.call() end)".utf8),
      name: "=[moonlatch]", trusted: true)
    try vm.call(prelude, phase: .loading, budget: 1000)
    #expect(try vm.run("return call()") == ["first"])
    #expect(vm.keepImage())
    #expect(vm.goBack())
    #expect(vm.error(of: "call()")?.message == "there is no host to answer")
    try vm.provide("call") { _ in ["second"] }
    #expect(try vm.run("return call()") == ["second"])
    try vm.provide("call") { _ in ["third"] }
    #expect(try vm.run("return call()") == ["third"])
  }

  @Test("restoring an image forgets texts and functions that were added later")
  func known() throws {
    let vm = try vm()
    vm.texts["a.lua"] = "x"
    #expect(!vm.hasPrelude("later"))
    let prelude = try vm.load(
      Array("host.later = function() return 1 end".utf8), name: "=[moonlatch]", trusted: true)
    try vm.call(prelude, phase: .loading, budget: 1000)
    #expect(vm.hasPrelude("later"))
    #expect(vm.goBack())
    #expect(!vm.hasPrelude("later"))
    #expect(vm.texts["a.lua"] == nil)
  }

  @Test("a VM has one image, which is restored outside of runs")
  func refused() throws {
    let vm = try vm()
    #expect(!vm.keepImage())
    let plain = try LuaVM(memoryLimit: 8 << 20)
    #expect(!plain.goBack())
    try vm.provide("back") { [unowned vm] _ in [.boolean(vm.goBack())] }
    let asking = try vm.load(
      Array("return host.back()".utf8), name: "=[moonlatch]", trusted: true)
    #expect(try vm.call(asking, phase: .script, budget: 1000) == [false])
  }

  @Test("restoring an image restores the lines that have run, of files of before and of after")
  func coveredLines() throws {
    let vm = try LuaVM(memoryLimit: 8 << 20)
    vm.coverLines()
    let steps = ["if count == 1 then", "x = 1", "else", "x = 2", "end"].joined(separator: "\n")
    func run(_ file: String, count: Int) throws {
      try vm.run("count = \(count) " + steps, name: file)
    }
    try run("a.lua", count: 1)
    #expect(vm.keepImage())
    let first = vm.coveredLines["a.lua"]?.ran
    #expect(first?.contains(2) == true && first?.contains(4) == false)
    try run("b.lua", count: 1)
    #expect(vm.keepFurtherImage())
    for _ in 0..<2 {
      try run("a.lua", count: 2)
      try run("b.lua", count: 2)
      try run("c.lua", count: 2)
      #expect(vm.coveredLines["a.lua"]?.ran.isSuperset(of: [2, 4]) == true)
      #expect(vm.goBack())
      #expect(vm.coveredLines["a.lua"]?.ran == first)
      #expect(vm.coveredLines["b.lua"]?.ran == first)
      #expect(vm.coveredLines["c.lua"]?.ran.isEmpty ?? true)
    }
    vm.dropFurtherImage()
    #expect(vm.goBack())
    #expect(vm.coveredLines["a.lua"]?.ran == first)
    #expect(vm.coveredLines["b.lua"]?.ran.isEmpty ?? true)
  }

  @Test("a VM returns to its second image, and without it to the first")
  func further() throws {
    let vm = try vm()
    for round in 1...3 {
      try vm.run(
        """
        seen = 'later'  list = {}
        for i = 1, 3000 do list[i] = { i, tostring(i) } end
        text = string.rep("y", 10000 * \(round))
        """)
      vm.texts["later.lua"] = "x"
      #expect(vm.keepFurtherImage())
      let memory = vm.memoryUsed
      for _ in 0..<3 {
        try vm.run("seen = 'last'  for i = 1, 90000 do list[i] = -i end  text, more = nil, {}")
        vm.collectGarbage()
        #expect(vm.goBack())
        #expect(vm.memoryUsed == memory)
        #expect(
          try vm.run("return seen, #list, list[3000][2], #text")
            == ["later", 3000, "3000", .integer(10000 * round)])
        #expect(vm.texts["later.lua"] == "x")
      }
      vm.dropFurtherImage()
      #expect(vm.goBack())
      #expect(try vm.run("return seen, count") == ["before", 0])
      #expect(vm.error(of: "return list")?.message == "global list is not defined")
      #expect(vm.texts["later.lua"] == nil)
      #expect(vm.goBack())
    }
  }

  @Test("a second image needs a first one, there is at most one, and it prevents suspending")
  func furtherRefused() throws {
    let plain = try LuaVM(memoryLimit: 8 << 20)
    #expect(!plain.keepFurtherImage())
    plain.dropFurtherImage()
    let vm = try vm()
    #expect(vm.keepFurtherImage())
    #expect(!vm.keepFurtherImage())
    #expect(vm.putAside(collectingAbove: .max) == nil)
    vm.dropFurtherImage()
    #expect(vm.putAside(collectingAbove: .max) != nil)
    vm.dropFurtherImage()
    #expect(vm.goBack())
  }
}
