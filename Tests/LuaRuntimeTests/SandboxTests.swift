import LuaRuntime
import Testing

@Suite struct SandboxTests {
  private let vm: LuaVM

  init() throws { vm = try LuaVM(memoryLimit: 8 << 20) }

  private static let base = [
    "_VERSION", "assert", "coroutine", "error", "getmetatable", "ipairs", "math", "next", "pairs",
    "pcall",
    "rawequal", "rawget", "rawlen", "rawset", "select", "setmetatable", "string", "table",
    "tonumber", "tostring", "type", "utf8", "xpcall",
  ]

  /// Every global of Lua 5.1 to 5.4, LuaJIT included.
  private static let everything =
    base + [
      "_G", "arg", "bit", "bit32", "collectgarbage", "debug", "dofile", "ffi", "gcinfo",
      "getfenv", "io", "jit", "load", "loadfile", "loadstring", "module", "newproxy", "os",
      "package", "print", "require", "setfenv", "unpack", "warn",
      "host",
    ]

  @Test("a script has exactly the globals of the allow-list")
  func globals() throws {
    for name in SandboxTests.everything {
      let found = try vm.run("return (pcall(function() return \(name).x ~= 1 or true end))")
      let isDefined = vm.error(of: "return \(name) == nil")?.message.contains("not defined") != true
      #expect(isDefined == SandboxTests.base.contains(name), "\(name) \(found)")
    }
  }

  @Test(
    "each library has exactly the functions of the allow-list",
    arguments: [
      ("coroutine", "create isyieldable resume running status wrap yield"),
      (
        "math",
        "abs acos asin atan ceil cos deg exp floor fmod huge log max maxinteger min mininteger modf "
          + "pi rad sin sqrt tan tointeger type ult"
      ),
      (
        "string",
        "byte char find format gmatch gsub len lower match pack packsize rep reverse sub unpack upper"
      ),
      (
        "table",
        "all any concat copy count filter find insert map move pack remove sort sum unpack"
      ),
      ("utf8", "char charpattern codepoint codes len offset"),
    ])
  func library(name: String, functions: String) throws {
    let keys = try vm.run("local t = {} for k in pairs(\(name)) do t[#t + 1] = k end return t")
    #expect(keys == [.list(functions.split(separator: " ").map { .string(String($0)) })])
  }

  @Test("an undefined global is an error with the nearest name")
  func undefined() {
    #expect(
      vm.error(of: "return tostrnig(1)")?.message
        == "global tostrnig is not defined; did you mean tostring?")
    #expect(vm.error(of: "return qqqqq")?.message == "global qqqqq is not defined")
    #expect(vm.error(of: "return qqqqq")?.place == "test.lua:1")
  }

  @Test("the libraries are read-only")
  func readOnly() throws {
    for script in [
      "string.rep = 1", "math.pi = 3", "table.mine = {}", "string.format = nil",
      "table.insert(table, 1)", "utf8[1] = 1",
    ] {
      #expect(vm.error(of: script)?.message.contains("read-only") == true, "\(script)")
    }
    #expect(try vm.run("return math.pi > 3") == [true])
  }

  @Test("a script cannot change the methods of strings")
  func stringMethods() throws {
    #expect(try vm.run("return ('x'):rep(3), #'abc', ('%d'):format(7)") == ["xxx", 3, "7"])
    #expect(vm.error(of: "getmetatable('').__index = {}") != nil)
    #expect(try vm.run("return getmetatable('')") == [false])
    #expect(try vm.run("return pcall(setmetatable, 'x', {})")[0] == false)
    #expect(vm.error(of: "('x').rep = 1") != nil)
  }

  @Test("setmetatable rejects __gc, ignores one added later, and __mode has no effect")
  func metatables() throws {
    let finalizer = vm.error(of: "setmetatable({}, { __gc = 'k' })")
    #expect(finalizer?.message == "a metatable may not have the field __gc here")
    #expect(
      try vm.run(
        """
        local t = setmetatable({}, { __mode = 'v' })
        t.kept = {}
        for i = 1, 100000 do local _ = { i } end
        return t.kept ~= nil
        """) == [true])
    // Lua looks for __gc when the metatable is set, so that one added later is never called.
    #expect(
      try vm.run(
        """
        local called, m = false, {}
        setmetatable({}, m)
        m.__gc = function() called = true end
        for i = 1, 10000 do local t = { i } end
        return called
        """) == [false])
    // Lua looks for __mode whenever it collects: the field means nothing to it here.
    #expect(
      try vm.run(
        """
        local m = {}
        local t = setmetatable({}, m)
        m.__mode = 'v'
        t.kept = {}
        for i = 1, 100000 do local _ = { i } end
        return t.kept ~= nil
        """) == [true])
    #expect(vm.error(of: "setmetatable({}, 7)") != nil)
    #expect(vm.error(of: "setmetatable(7, {})") != nil)
    #expect(try vm.run("local m = {} return getmetatable(setmetatable({}, m)) == m") == [true])
    #expect(try vm.run("return getmetatable({})") == [.nil])
    #expect(
      try vm.run("return getmetatable(setmetatable({}, { __metatable = 'mine' }))") == ["mine"])
    #expect(vm.error(of: "setmetatable(setmetatable({}, { __metatable = 1 }), {})") != nil)
    #expect(try vm.run("return getmetatable(string)") == [false])
    #expect(vm.error(of: "setmetatable(string, {})") != nil)
    #expect(vm.error(of: "setmetatable(_ENV, {})") != nil)
  }

  @Test("no text contains an address")
  func addresses() throws {
    #expect(
      try vm.run("return tostring({}), tostring(error), tostring(coroutine.create(error))")
        == ["table", "function", "thread"])
    #expect(try vm.run("return ('%s'):format({})") == ["table"])
    #expect(vm.error(of: "return ('%p'):format({})") != nil)
  }

  @Test("a script can set globals until they are frozen")
  func ownGlobals() throws {
    try vm.run("mine = 1")
    #expect(try vm.run("mine = mine + 1 return mine") == [2])
  }

  @Test("deeply nested and cyclic tables can be frozen")
  func frozenDeeply() throws {
    try vm.run("deep = {} for i = 1, 20000 do deep = { deep } end", budget: 10_000_000)
    try vm.run("circle = {} circle.circle = circle")
    let freeze = try vm.preludeFunction("freeze_globals")
    try vm.call(freeze, phase: .loading, budget: 1_000_000)
    #expect(vm.error(of: "deep[1][1][1].x = 1")?.message.contains("read-only") == true)
    #expect(vm.error(of: "circle.circle.circle.x = 1")?.message.contains("read-only") == true)
    let error = vm.error(of: "other = 1")
    #expect(
      error?.message == "global other cannot be set: globals are read-only after loading "
        + "(data belongs in the state, or in a local)")
    #expect(error?.place == "test.lua:1")
  }
}
