import Platform
import Testing

@testable import FlowHosting
@testable import FlowKernel

/// Effects with a script error, distinguished from those that raise an error on purpose.
@Suite struct EffectFaultTests {
  private func flow(_ body: String, onError: String = "\"failed\"") -> String {
    """
    state { tries = 0, error = none }
    action.go {}
    action.failed { error = string }
    action.done { sum = integer }
    effect.go = {
      run = function(self)
    \(body)
      end,
      on_done = "done", on_error = \(onError),
    }
    function reduce.failed(s, a) s.tries = s.tries + 1 s.error = a.error end
    """
  }

  private struct Offline: Error, CustomStringConvertible { let description = "offline" }

  /// Runs an effect, and gives the error that `on_error` was given, and the first report.
  private func run(
    _ body: String, onError: String = "\"failed\""
  ) throws -> (error: String?, report: String?) {
    let trial = try Trial(flow(body, onError: onError)) { scopes in
      scopes.root.provide("fetch") { () throws -> String in throw Offline() }
    }
    try trial.play("go")
    try trial.advance(5)
    return (try trial.state("error").stringValue, trial.reports.all.first)
  }

  @Test(
    "an error in the script's code is reported with its place and does not run on_error",
    arguments: [
      ("local x = nil; dispatch.failed(x.y)", "attempt to index a nil value (local 'x')"),
      ("helpr()", "global helpr is not defined"), ("self:vanish()", "scope root has no vanish"),
      ("dispatch.failed { err = 1 }", "action failed: "), ("dispatch.fialed {}", "there is no"),
      ("return { total = 1 }", "on_done: action done: "), ("return 3", "on_done: "),
      ("sleep(\"soon\")", "sleep"), ("self.fetch()", "fetch is called with a colon"),
      ("string.rep()", "bad argument"), ("while true do end", "the instruction limit is reached"),
      (
        "local t = setmetatable({}, { __index = function() local x = nil; return x.b end }) return t.c",
        "attempt"
      ),
      ("coroutine.wrap(function() local x = nil; x.y = 1 end)()", "attempt to index a nil"),
      (
        "all { a = function() sleep(9) end, b = function() sleep(1) local x = 1 + nil end }",
        "arith"
      ),
      ("race { a = function() sleep(1) helpr() end }", "global helpr is not defined"),
      ("pcall(error, \"caught\") local x = nil; x.y = 1", "attempt to index a nil value"),
      ("sleep(1) pcall(self.fetch, self) helpr()", "global helpr is not defined"),
      ("retry({ wait = 0 }, helpr)", "global helpr is not defined"),
      ("coroutine.resume(coroutine.create(function() error(\"x\") end)) helpr()", "global helpr"),
    ])
  func fault(body: String, message: String) throws {
    let (error, report) = try run(body)
    #expect(error == nil)
    #expect(report?.hasPrefix("effect.go did not finish: flow.lua:") == true)
    #expect(report?.contains(message) == true)
  }

  @Test(
    "an error that the script raises, or that a capability throws, is passed to on_error",
    arguments: [
      ("error(\"no\")", "no"), ("error(\"no\", 0)", "no"), ("error { message = \"no\" }", "no"),
      ("assert(false, \"no\")", "no"), ("assert(nil)", "assertion failed!"),
      ("self:fetch()", "fetch: offline"),
      ("sleep(1) coroutine.wrap(function() error(\"no\") end)()", "no"),
      ("all { a = function() sleep(9) end, b = function() sleep(1) self:fetch() end }", "offline"),
      ("race { a = function() error(\"no\", 0) end }", "no"),
      ("pcall(function() local x = nil; x.y = 1 end) error(\"no\", 0)", "no"),
      (
        "local c <close> = setmetatable({}, { __close = function() pcall(error, \"z\") end }) error(\"no\")",
        "no"
      ),
      ("retry({ times = 2, wait = 1 }, function() self:fetch() end)", "offline"),
      ("retry({ times = 2, wait = 1 }, function() error(\"no\", 0) end)", "no"),
      (
        "local ok, why = pcall(function() helpr() end) error(why, 0)", "global helpr is not defined"
      ),
    ])
  func raised(body: String, message: String) throws {
    let (error, report) = try run(body)
    #expect(error?.hasSuffix(message) == true)
    #expect(report == nil)
  }

  @Test("an error that the script catches has no consequence")
  func caught() throws {
    let (error, report) = try run(
      "local ok, why = pcall(function() helpr() end) dispatch.failed { error = why } return { sum = 1 }"
    )
    #expect(error?.contains("global helpr is not defined") == true)
    #expect(report == nil)
  }

  @Test("with faults = true a script error runs on_error too, and is reported with its traceback")
  func handled() throws {
    let (error, report) = try run(
      "local function inner(t) return t.a.b end inner({})",
      onError: "{ action = \"failed\", faults = true }")
    #expect(error == "attempt to index a nil value (field 'a')")
    let lines = report?.split(separator: "\n").map(String.init) ?? []
    #expect(lines.first?.hasPrefix("effect.go did not finish: flow.lua:7: attempt to") == true)
    #expect(lines.contains { $0.contains("in local 'inner'") || $0.contains("'inner'") })
    #expect(lines.last?.hasSuffix("; failed follows") == true)
    #expect(try run("error(\"no\", 0)", onError: "{ action = \"failed\" }").error == "no")
    #expect(try run("helpr()", onError: "{ action = \"failed\" }").error == nil)
  }

  @Test("a script error is not retried unless the flow asks for it")
  func retried() throws {
    for (options, count) in [("", 1), (", faults = false", 1), (", faults = true", 3)] {
      let trial = try Trial(
        flow("retry({ times = 3, wait = 1\(options) }, function() print(\"try\") helpr() end)"))
      try trial.play("go")
      try trial.advance(9)
      #expect(trial.printed.all.count == count)
      #expect(try trial.state("tries") == 0)
    }
  }

  @Test("a script error in a state effect ends the effect and leaves the state active")
  func stateEffect() throws {
    let trial = try Trial(
      """
      state {}
      action.start {} action.failed { error = string }
      machine.m { initial = "off", off = { start = "on" },
        on = { failed = "off", effect = { run = function() sleep(1) helpr() end, on_error = "failed" } } }
      """)
    try trial.play("start")
    try trial.advance(2)
    #expect(try trial.state("m") == "on")
    #expect(
      trial.told() == ["effect of m.on did not finish: flow.lua:4: global helpr is not defined"])
  }

  @Test(
    "a durable effect distinguishes errors after a restart as before it", arguments: [true, false])
  func durable(isFault: Bool) throws {
    let journal = MemoryJournal()
    let reports = Trial.Lines()
    let calls = Mutex(0)
    let source = """
      state { error = none }
      action.go {} action.failed { error = string }
      effect.go = { durable = true, on_error = "failed", run = function(self)
        local ok, why = pcall(self.fetch, self)
        sleep(10)
        \(isFault ? "helpr()" : "self:fetch()")
      end }
      function reduce.failed(s, a) s.error = a.error end
      """
    func host(_ journal: MemoryJournal) throws -> FlowHost {
      try FlowHost(
        LoadedFlow(source: source), journal: journal,
        options: HostOptions(clock: .virtual, print: { _ in }, report: { reports.add("\($0)") })
      ) { scopes in
        scopes.root.provide("fetch") { () throws -> String in
          calls.withLock { $0 += 1 }
          throw Offline()
        }
      }
    }
    let first = try host(journal)
    try first.dispatch("go")
    let second = try host(journal.restarted())
    try second.advance(20)
    #expect(calls.withLock { $0 } == (isFault ? 1 : 2))
    #expect(try second.state()["error"]?.stringValue == (isFault ? nil : "fetch: offline"))
    #expect(reports.all.count { $0.contains("global helpr") } == (isFault ? 1 : 0))
  }

  @Test("a replayed error of a capability still counts as the capability's after a restart")
  func toldAgain() throws {
    let journal = MemoryJournal()
    let source = """
      state { error = none }
      action.go {} action.failed { error = string }
      effect.go = { durable = true, on_error = "failed", run = function(self)
        local r = all {
          a = function() local ok, why = pcall(self.fetch, self) sleep(10) if not ok then self:fetch() end end,
          b = function() sleep(5) end,
        }
      end }
      function reduce.failed(s, a) s.error = a.error end
      """
    func host(_ journal: MemoryJournal) throws -> FlowHost {
      try FlowHost(
        LoadedFlow(source: source), journal: journal,
        options: HostOptions(clock: .virtual, print: { _ in }, report: { _ in })
      ) { $0.root.provide("fetch") { () throws -> String in throw Offline() } }
    }
    let first = try host(journal)
    try first.dispatch("go")
    try first.advance(6)
    let second = try host(journal.restarted())
    try second.advance(20)
    #expect(try second.state()["error"]?.stringValue == "fetch: offline")
  }

  @Test("a journal records failed effects, and which failures are script errors")
  func journal() throws {
    for (body, isFault, reason) in [
      ("local x = nil; x.y = 1", true, "flow.lua:7: attempt to index"),
      ("error(\"no\")", false, "flow.lua:7: no"),
    ] {
      let journal = MemoryJournal()
      let host = try FlowHost(
        LoadedFlow(source: flow(body), name: "flow.lua"), journal: journal,
        options: HostOptions(clock: .virtual, print: { _ in }, report: { _ in }))
      try host.dispatch("go")
      let failures = try journal.entries(of: "main", from: 1, limit: 100).flatMap {
        try $0.contents().effectsFailed
      }
      #expect(failures.map(\.isFault) == [isFault])
      #expect(failures.first?.reason.hasPrefix(reason) == true)
    }
  }
}
