import Testing

@testable import FlowHosting
@testable import FlowKernel

/// `entered_by`, the action that entered the state of an effect.
@Suite struct EnteredByTests {
  private let flow = """
    state { by = list {} }
    action.load { id = integer } action.reload {} action.retry {} action.stop {} action.said { by = string }
    action.other {}
    machine.m {
      initial = "idle",
      idle = { load = "busy", reload = "busy", effect = function(self)
        dispatch.said { by = tostring(self.entered_by) }
      end, after = { retry = 100 } , retry = "busy" },
      busy = { stop = "idle", effect = { durable = true, run = function(self)
        local first = self.entered_by
        sleep(10)
        local both = all { a = function() return self.entered_by end, b = function() sleep(1) end }
        dispatch.said { by = first .. " " .. both.a }
      end } },
    }
    function effect.other(self) dispatch.said { by = tostring(self.entered_by) } end
    function reduce.said(s, a) s.by[#s.by + 1] = a.by end
    """

  private func host(_ journal: MemoryJournal) throws -> FlowHost {
    try FlowHost(
      LoadedFlow(source: flow), journal: journal,
      options: HostOptions(clock: .virtual, print: { _ in }, report: { Issue.record("\($0)") }))
  }

  private func said(_ host: FlowHost) throws -> [String] {
    try host.state()["by"]?.listValue?.compactMap(\.stringValue) ?? []
  }

  @Test("entered_by is the action, also a timer's, and nil in an initial state")
  func actions() throws {
    let host = try host(MemoryJournal())
    try host.dispatch("load", ["id": 1])
    try host.advance(20)
    try host.dispatch("stop")
    try host.dispatch("reload")
    try host.advance(20)
    try host.dispatch("stop")
    try host.advance(120)
    try host.dispatch("other")
    #expect(
      try said(host)
        == ["nil", "load load", "stop", "reload reload", "stop", "retry retry", "nil"])
  }

  @Test("entered_by is the same after a restart, and after a snapshot")
  func restarts() throws {
    let journal = MemoryJournal()
    let first = try host(journal)
    try first.dispatch("reload")
    try first.advance(5)
    let second = try host(journal.restarted())
    try second.advance(20)
    #expect(try said(second) == ["nil", "reload reload"])
  }
}
