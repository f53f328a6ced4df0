import FlowHosting
import FlowKernel
import FlowLanguage
import Testing

/// Rules of ContractOfHosts.md, section 2, as sentences with a test each.
@Suite("Libraries of a script") struct LibraryDesignTests {
  @Test(
    """
    Lua 5.4's `string`, `table`, `math`, `utf8`, `coroutine` (without `close`), safe parts of the \
    base library, `require` for modules inside the flow's own folder, `print` (to the host's log).
    """)
  func library() throws {
    let folder = try TestFolder()
    try folder.write("return { double = function(n) return n * 2 end }", to: "parts/twice.lua")
    let file = try folder.write(
      """
      local twice = require "parts.twice"
      state { log = "" } action.a {}
      function reduce.a(s)
        s.log = string.upper("a") .. table.concat({ 1, 2 }) .. math.floor(2.5) .. utf8.char(228)
          .. type(coroutine.create) .. tostring(coroutine.close) .. twice.double(2)
          .. tostring(pcall(error)) .. select("#", 1, 2) .. type(tonumber("1"))
        print(s.log)
      end
      """, to: "flow.lua")
    let lines = Trial.Lines()
    let host = try FlowHost(
      flow: file, options: HostOptions(clock: .virtual, print: { lines.add($0) }))
    try host.dispatch("a")
    #expect(try host.state()["log"] == "A122äfunctionnil4false2number")
    #expect(lines.all == ["A122äfunctionnil4false2number"])
    try folder.write("require '../outside' state {} action.a {}", to: "flow.lua")
    #expect(throws: FlowError.self) { _ = try FlowHost(flow: file) }
  }

  @Test(
    """
    No `io`, `os`, `debug`, `package`, `load`, `loadfile`, `dofile`, `collectgarbage`, \
    `string.dump`; `setmetatable` takes no `__gc`, and `__mode` does nothing.
    """)
  func absent() throws {
    for name in [
      "io", "os", "debug", "package", "load", "loadfile", "dofile", "collectgarbage",
    ] {
      let found = faults(of: "state {} action.a {} local x = \(name)")
      #expect(found.first?.contains("global \(name) is not defined") == true, "\(name)")
    }
    #expect(try Trial("state { n = string.dump == nil } action.a {}").state("n") == true)
    let found = faults(of: "state {} action.a {} setmetatable({}, { __gc = 'k' })")
    #expect(found.count == 1 && found.first?.contains("__gc") == true)
    #expect(faults(of: "state {} action.a {} setmetatable({}, { __mode = 'k' })") == [])
  }

  @Test("`pairs` visits keys in one fixed order.")
  func order() throws {
    let keys = (0..<40).map { "k\(($0 * 7) % 40)" }
    let trial = try Trial(
      """
      state { all = map { \(keys.map { "\($0) = 1" }.joined(separator: ", ")) } } action.a {}
      function reduce.a(s)
        local names = {}
        for name in pairs(s.all) do names[#names + 1] = name end
        print(table.concat(names, " "))
        names = {}
        for name in pairs { \(keys.reversed().map { "\($0) = 1" }.joined(separator: ", ")) } do names[#names + 1] = name end
        print(table.concat(names, " "))
      end
      """)
    try trial.play("a")
    let line = keys.sorted().joined(separator: " ")
    #expect(trial.printed.all == [line, line])
  }

  @Test("Reading an undefined global is an error with the nearest name.")
  func undefined() throws {
    let trial = try Trial("state { n = 0 } action.a {}\nfunction reduce.a(s) s.n = tostrin(1) end")
    #expect(
      try trial.play("a") == "flow.lua:2: global tostrin is not defined; did you mean tostring?")
  }

  @Test(
    """
    Globals, and the tables that modules return, are read-only after loading; a local of the file \
    that a declared function changes is found by comparing upvalues after a dispatch, in `run`, \
    `repl` and `check`, and reported as a warning with its line: data belongs in the state.
    """)
  func readOnly() throws {
    let folder = try TestFolder()
    try folder.write("return { n = 1, deep = { 1 } }", to: "parts.lua")
    let file = try folder.write(
      """
      local parts = require "parts"
      shared = { n = 1 }
      local count, kept = 0, 0
      local function bump() kept = kept + 1 end
      state { n = 0 } action.a {} action.b {} action.c {} action.count {} action.bump {} action.fine {}
      function reduce.a(s) shared = 5 end
      function reduce.b(s) parts.n = 5 end
      function reduce.c(s) parts.deep[1] = 5 end
      function reduce.count(s) count = count + 1 end
      function effect.bump() bump() end
      """, to: "flow.lua")
    let reports = Trial.Lines()
    let host = try FlowHost(
      flow: file,
      options: HostOptions(
        clock: .virtual, findsChangedLocals: true, report: { reports.add("\($0)") }))
    for action in ["a", "b", "c"] { #expect(try host.dispatch(action).isPassed == false) }
    try host.dispatch("fine")
    #expect(reports.take() == [])
    try host.dispatch("count")
    #expect(
      reports.take() == [
        "flow.lua:9: reduce.count changes the local count; data belongs in the state"
      ])
    try host.dispatch("bump")
    try host.dispatch("bump")
    #expect(
      reports.take() == [
        "flow.lua:10: effect.bump changes the local kept; data belongs in the state"
      ])
  }
}
