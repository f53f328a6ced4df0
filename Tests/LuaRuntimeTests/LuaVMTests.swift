import LuaRuntime
import Testing

@Suite struct LuaVMTests {
  private let vm: LuaVM

  init() throws { vm = try LuaVM(memoryLimit: 8 << 20) }

  // MARK: Chunks

  @Test("a different build of Lua is reported as such, and not as missing memory")
  func otherLua() {
    let other = LuaVM.openError(memoryLimit: 1_000, isOtherLua: true)
    #expect(other.kind == .runtime && other.message.contains("built differently"))
    #expect(other.message.contains(LuaVM.release))
    let full = LuaVM.openError(memoryLimit: 1_000, isOtherLua: false)
    #expect(full.kind == .memory && full.message.contains("1000 bytes"))
  }

  @Test("the results of a chunk are returned in order")
  func results() throws {
    #expect(
      try vm.run("return 1, 'a', nil, { 2 }, { x = true }") == [1, "a", .nil, [2], ["x": true]])
    #expect(try vm.run("local x = 1") == [])
  }

  @Test("a syntax error has file, line and message")
  func syntax() {
    let error = vm.error(of: "local x = 1\nlocal y = = 2\n")
    #expect(error?.kind == .syntax)
    #expect(error?.place == "test.lua:2")
    #expect(error?.message == "unexpected symbol near '='")
    #expect(error?.isIncomplete == false)
  }

  @Test(
    "a text that further lines could complete is incomplete",
    arguments: [
      "function f()", "local x =", "f(", "if x then", "return {", "--[[ text", "x = [[text",
    ])
  func incomplete(text: String) { #expect(vm.error(of: text)?.isIncomplete == true) }

  @Test(
    "a text that no line can complete is not incomplete",
    arguments: ["x = = 1", "end", "x = 'text", "f())", "1"])
  func complete(text: String) {
    #expect(vm.error(of: text)?.kind == .syntax)
    #expect(vm.error(of: text)?.isIncomplete == false)
  }

  @Test("compiled Lua is rejected")
  func bytecode() {
    #expect(throws: ScriptError.self) {
      try vm.load([0x1b, 0x4c, 0x75, 0x61, 0x54], name: "a.lua")
    }
    #expect(vm.error(of: "\u{1b}Lua")?.message.contains("binary chunk") == true)
  }

  @Test("an empty chunk does nothing")
  func empty() throws {
    #expect(try vm.run("") == [])
    #expect(try vm.run("-- only a comment") == [])
  }

  // MARK: Errors

  @Test("a runtime error has its location")
  func runtime() {
    let error = vm.error(of: "local t\nreturn t.x")
    #expect(error?.kind == .runtime)
    #expect(error?.place == "test.lua:2")
    #expect(error?.message == "attempt to index a nil value (local 't')")
  }

  @Test("a table that is raised keeps its fields and its message")
  func table() {
    let error = vm.error(of: "error({ code = 7, message = 'no such thing', more = { 1 } })")
    #expect(error?.message == "no such thing")
    #expect(error?.value == ["code": 7, "message": "no such thing", "more": [1]])
    #expect(error?.place == "test.lua:1")
  }

  @Test(
    "any raised value has a message",
    arguments: [
      ("error(nil)", "a nil was raised as an error"),
      ("error(true)", "a boolean was raised as an error"),
      ("error(17)", "17"), ("error({})", "a table was raised as an error"),
      ("error(print or error)", "a function was raised as an error"),
      ("error(setmetatable({}, { __tostring = function() error('x') end }))", "a table was raised"),
      ("error(setmetatable({}, { __index = function() error('x') end }))", "a table was raised"),
    ])
  func anything(script: String, message: String) throws {
    let script = script.replacing("print or ", with: "")
    let error = try #require(vm.error(of: script))
    #expect(error.message.hasPrefix(message))
    #expect(error.kind == .runtime)
  }

  @Test("an error in a message handler is an error, and the VM stays usable")
  func errorInError() throws {
    #expect(try vm.run("return (xpcall(error, function() error('again') end))") == [false])
    #expect(
      vm.error(
        of: "local t = setmetatable({}, { __close = function() error('closing') end })\n"
          + "local x <close> = t\nerror('first')") != nil)
    #expect(try vm.run("return 1") == [1])
  }

  @Test("variables to be closed are closed if their function raises")
  func closing() throws {
    let script = """
      local t = ...
      local x <close> = setmetatable({}, { __close = function(_, e) told = e or 'nothing' end })
      error('first', 0)
      """
    #expect(vm.error(of: "told = false")?.message == nil)
    #expect(vm.error(of: script)?.message == "first")
    // Releases before 5.4.3 do not tell why a coroutine that has died closes something.
    let isTold = !["5.4.0", "5.4.1", "5.4.2"].contains(LuaVM.release)
    #expect(try vm.run("return told") == [isTold ? "first" : "nothing"])
  }

  @Test("a result that is not plain data is an error that names it")
  func foreign() {
    #expect(vm.error(of: "return error")?.message == "the value: a function is not plain data")
    #expect(
      vm.error(of: "return { a = { 1, coroutine.create(error) } }")?.message
        == "a[2]: a thread is not plain data")
    #expect(vm.error(of: "local t = {} t.t = t return t")?.message.contains("a cycle") == true)
    #expect(vm.error(of: "return { 1, x = 2 }")?.message.contains("not both") == true)
    #expect(vm.error(of: "return { [1] = 1, [3] = 3 }")?.message.contains("without holes") == true)
    #expect(vm.error(of: "return { [true] = 1 }")?.message.contains("keys are") == true)
  }

  // MARK: Instructions

  @Test(
    "an endless script is stopped by the limit",
    arguments: [
      "while true do end",
      "while true do pcall(error) end",
      "local function f() return f() end f()",
      "::top:: goto top",
      "while true do pcall(function() while true do end end) end",
      "xpcall(function() while true do end end, function() while true do end end)",
      "coroutine.wrap(function() while true do end end)()",
      "while true do coroutine.wrap(function() end)() end",
      "local function tree() coroutine.wrap(tree)() coroutine.wrap(tree)() end tree()",
      "pcall(coroutine.wrap(function() pcall(function() while true do end end) end)) while true do end",
      "table.sort({ 3, 2, 1 }, function() while true do end end)",
      "('x'):gsub('x', function() while true do end end)",
      "local t = setmetatable({}, { __index = function() while true do end end }) return t.x",
      "local t = setmetatable({}, { __lt = function() while true do end end }) return t < t",
      "local t = setmetatable({}, { __tostring = function() while true do end end }) tostring(t)",
      "local t <close> = setmetatable({}, { __close = function() while true do end end })",
      "for k in pairs(setmetatable({}, { __pairs = function() while true do end end })) do end",
      "string.find(('a'):rep(30), ('a?'):rep(30) .. ('a'):rep(30) .. 'b')",
      "local t = {} for i = 1, 1e9 do t[i % 10] = i end",
    ])
  func endless(script: String) throws {
    let error = vm.error(of: script, budget: 200_000)
    // An endless recursion may come to the end of its stack, or of the memory, first.
    let isStopped = error?.kind == .limit || error?.kind == .memory
    #expect(isStopped || error?.message.contains("C stack overflow") == true, "\(script)")
    #expect(try vm.run("return 1") == [1])
  }

  @Test("an endless close after a failure is stopped, and the first failure is reported")
  func endlessClosing() throws {
    let script = """
      local t <close> = setmetatable({}, { __close = function() while true do end end })
      error("first")
      """
    #expect(vm.error(of: script, budget: 200_000)?.message == "first")
    #expect(try vm.run("return 1") == [1])
  }

  @Test("an exceeded limit is reported with the place in the script")
  func limitPlace() {
    let error = vm.error(of: "local x = 0\nwhile true do\n  x = x + 1\nend", budget: 10_000)
    #expect(error?.kind == .limit)
    #expect(error?.message == "the instruction limit is reached (10000)")
    #expect(error?.chunk == "test.lua")
    #expect([2, 3].contains(error?.line ?? 0))
  }

  @Test("a limit stops a run at the same instruction every time")
  func deterministic() throws {
    let script = """
      count = 0
      while true do
        count = count + 1
        pcall(function() local t = { 1, 2, 3 } table.sort(t) return #("x"):rep(count % 50) end)
      end
      """
    var counts: Set<Value> = []
    for round in 0..<4 {
      let vm = try LuaVM(memoryLimit: 8 << 20)
      if round > 1 { try vm.run("local t = {} for i = 1, 1000 do t[i] = { i } end") }
      #expect(vm.error(of: script, budget: 50_000)?.kind == .limit)
      counts.insert(try vm.run("return count")[0])
    }
    #expect(counts.count == 1)
  }

  @Test("pcall and xpcall catch errors, but no limits")
  func uncatchable() throws {
    #expect(try vm.run("return pcall(error, 'x')") == [false, "x"])
    #expect(
      try vm.run("return xpcall(error, function(m) return m .. '!' end, 'x')") == [false, "x!"])
    let script = "reached = false pcall(function() while true do end end) reached = true"
    #expect(vm.error(of: script, budget: 10_000)?.kind == .limit)
    #expect(try vm.run("return reached") == [false])
    let memory = "pcall(function() local s = 'x' while true do s = s .. s end end) reached = true"
    #expect([.memory, .limit].contains(vm.error(of: memory)?.kind))
    #expect(try vm.run("return reached") == [false])
  }

  // MARK: Memory

  @Test(
    "an allocation beyond the memory limit fails, and the VM stays usable",
    arguments: [
      "local t = {} while true do t[#t + 1] = { t } end",
      "local s = 'x' while true do s = s .. s end",
      "return ('x'):rep(1e9)",
      "local t = {} for i = 1, 1e7 do t[i] = ('x'):rep(100) .. i end",
      "local function f(...) return f(1, ...) end f()",
      "local t = {} while true do t[#t + 1] = coroutine.create(function() end) end",
    ])
  func memory(script: String) throws {
    let error = vm.error(of: script, budget: 100_000_000)
    #expect(
      error?.kind == .memory || error?.kind == .limit || error?.message == "stack overflow",
      "\(String(describing: error))")
    #expect(error?.kind != .memory || error?.message.contains("(the memory limit is ") == true)
    vm.collectGarbage()
    #expect(vm.memoryUsed < 1 << 20)
    #expect(try vm.run("return #('x'):rep(1000)") == [1000])
  }

  @Test("text too large for the memory is a memory error")
  func largeText() {
    let text = "return {" + String(repeating: "{},", count: 1_000_000) + "}"
    #expect(vm.error(of: text)?.kind == .memory)
  }

  @Test("a VM does not open in less memory than it needs", arguments: [1, 100, 5000, 12000])
  func tooSmall(limit: Int) {
    #expect { try LuaVM(memoryLimit: limit) } throws: { ($0 as? ScriptError)?.kind == .memory }
  }

  @Test("a negative memory limit is rejected")
  func negative() {
    #expect(throws: ScriptError.self) { try LuaVM(memoryLimit: -1) }
  }

  // MARK: Coroutines

  @Test("coroutines yield and resume")
  func coroutines() throws {
    let script = """
      local co = coroutine.wrap(function(a)
        local b = coroutine.yield(a + 1)
        return b * 2
      end)
      return co(1), co(10)
      """
    #expect(try vm.run(script) == [2, 20])
    let dead = "local co = coroutine.create(error) return coroutine.resume(co, 'x')"
    #expect(try vm.run(dead) == [false, "x"])
  }

  @Test("a function that is called by the host cannot yield to it")
  func yieldOutside() {
    let error = vm.error(of: "coroutine.yield(1)")
    #expect(error?.kind == .runtime)
    #expect(error?.message == "attempt to yield from outside a coroutine")
  }

  // MARK: References

  @Test("references of the host stay valid, however many runs fail in between")
  func references() throws {
    var kept: [LuaReference] = []
    for number in 0..<400 {
      #expect(vm.error(of: "error('no')") != nil)
      kept.append(try vm.load(Array("return \(number)".utf8), name: "kept.lua"))
    }
    for (number, function) in kept.enumerated() {
      #expect(try vm.call(function, phase: .script, budget: 1000) == [.integer(number)])
    }
  }

  @Test("a reference that the host releases can be collected")
  func release() throws {
    vm.collectGarbage()
    let before = vm.memoryUsed
    for _ in 0..<2000 {
      vm.release(try vm.load(Array("return { 1, 2, 3, 'some text' }".utf8), name: "a.lua"))
    }
    vm.collectGarbage()
    #expect(vm.memoryUsed < before + 20_000)
  }
}
