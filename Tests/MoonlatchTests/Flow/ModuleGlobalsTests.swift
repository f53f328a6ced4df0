import FlowHosting
import FlowKernel
import Testing

/// Modules written for any Lua, and the globals that they can use.
@Suite struct ModuleGlobalsTests {
  private func load(_ module: String, _ flow: String = "") throws -> FlowHost {
    let folder = try TestFolder()
    try folder.write(module, to: "part.lua")
    let file = try folder.write(
      "local part = require 'part'\nstate { n = 0 }\naction.go {}\n\(flow)", to: "flow.lua")
    return try FlowHost(flow: file, options: HostOptions(clock: .virtual))
  }

  private func fault(_ module: String, _ flow: String = "") -> String {
    do {
      _ = try load(module, flow)
      return ""
    } catch { return "\(error)" }
  }

  @Test("a module that tests for optional globals loads and works")
  func probing() throws {
    let host = try load(
      """
      local unpack = unpack or table.unpack
      local loadstring = loadstring or load
      local getn = table.getn or function(t) return #t end
      local is_old = tonumber((_VERSION or ""):match("[%d.]*$")) < 5.3
      local has_jit = type(jit) == "table" or _G.jit ~= nil or rawget(_G, "jit") ~= nil
      local trace = debug and debug.traceback or function(text) return text end
      local clock = os and os.clock or function() return 0 end
      local cache = setmetatable({}, { __mode = "k" })
      local fine, compat = pcall(require, "compat53.module")
      assert(not fine and not is_old and not has_jit and not loadstring and _G.somebodys == nil)
      assert(_G.tostring == tostring and _G._G == _G and rawget(_G, "pairs") == pairs)
      local part = { clock = clock, trace = trace }
      part.__index = function(t, k) return rawget(part, k) or cache[k] end
      function part.sum(...)
        local all, sum = { ... }, 0
        for i = 1, getn(all) do sum = sum + (select(i, unpack(all))) end
        return sum
      end
      return part
      """, "function reduce.go(s) s.n = part.sum(1, 2, 3) end")
    try host.dispatch("go")
    #expect(try host.state()["n"] == 6)
  }

  @Test("a missing Lua global in the flow's own file is an error that suggests a replacement")
  func flow() {
    #expect(
      fault("return {}", "local x = os").contains("global os is not defined; a flow has no access"))
    #expect(fault("return {}", "local x = unpack").contains("; write table.unpack"))
    #expect(fault("return {}", "local x = _G.x").contains("global _G is not defined"))
  }

  @Test("a module gets an error for an unknown global, and for every missing one after loading")
  func others() throws {
    let caught = fault("x = pcall(function() return nothing end) return {}", "assert(x)")
    #expect(caught.contains("assertion failed"))
    #expect(
      fault("local x = tostrin return {}").contains(
        "global tostrin is not defined; did you mean tostring?"))
    let host = try load(
      "local globals = _G return { time = function() return os.time() end, set = function() globals.x = 1 end }",
      """
      function reduce.go(s) s.n = part.time() end
      action.set {}
      function reduce.set(s) part.set() end
      """)
    #expect(
      try host.dispatch("go").description.contains(
        "part.lua:1: global os is not defined; a flow has no access to the system; use now(), date()"
      ))
    #expect(try host.dispatch("set").description.contains("globals are read-only after loading"))
  }

  @Test(
    "a module that needs a missing Lua function gets an error with the reason",
    arguments: [
      (
        "local slash = package.config:sub(1, 1)",
        "(global 'package'): flows have no package; require"
      ),
      ("local load = loadstring or load load('return 1')", "(local 'load'): flows have no load"),
      ("local start = os.time()", "(global 'os'): flows have no os; a flow has no access"),
      ("local n = table.getn({})", "(field 'getn'): flows have no table.getn; write #t"),
    ])
  func needed(line: String, reason: String) {
    let fault = fault("\(line)\nreturn {}")
    #expect(fault.contains("part.lua:1:") && fault.contains(reason), "\(fault)")
  }

  @Test("a suggested name differs in at most a third of the letters")
  func guesses() {
    #expect(!fault("return {}", "local s = 1 local x = oz").contains("did you mean"))
    #expect(!fault("return {}", "local x = tipo").contains("did you mean"))
    #expect(fault("return {}", "local x = tpye").contains("did you mean type?"))
  }
}
