import Moonlatch
import Synchronization
import Testing

@Suite struct KeyedScopeTests {
  private struct Badge: Sendable { let name: String }

  private static let flow = """
    state { paid = 0, user = none, late = 0 }
    action.log_in {}
    action.log_out {}
    action.refund { cents = integer }
    action.tried { what = string }
    action.waited {}
    scope.user { key = function(s) return s.user end }
    function reduce.log_in(s) s.user = "u1" end
    function reduce.log_out(s) s.user = nil end
    function reduce.refund(s, a) s.paid = s.paid + a.cents end
    function effect.refund(self, a)
      print(self:pay_out(a.cents), self.parent:greet())
      print(pcall(function() return self.key end))
      print(pcall(function() self:close() end))
      after(10, "waited")
      sleep(5)
    end
    function effect.tried(self, a)
      if a.what == "unlock" then print(pcall(function() return self:unlock("staff") end))
      elseif a.what == "forge" then print(pcall(function() return self:unlock("staff", "Ann") end))
      else print(self:unlock("staff"):pay_out(7)) end
    end
    function reduce.waited(s) s.late = s.late + 1 end
    """

  private final class Lines: Sendable {
    private let texts = Mutex<[String]>([])
    func add(_ line: String) { texts.withLock { $0.append(line) } }
    var value: [String] { texts.withLock { $0 } }
  }

  private let lines = Lines()
  private let staff = KeyedScope("staff", key: Badge.self, actions: ["refund"])

  private func host(_ source: String = flow) throws -> FlowHost {
    let lines = lines
    let options = HostOptions(
      clock: .virtual, keepsTranscript: true, print: { lines.add($0) }, report: { lines.add($0) })
    return try FlowHost(source: source, options: options) { scopes in
      scopes.root.provide("greet") { "hello" }
      scopes.declare(staff) { staff in
        staff.provide("pay_out", parameters: ["cents"]) { (badge: Badge, cents: Int) in
          "\(badge.name) pays \(cents)"
        }
        staff.provide("note") { (_: Badge) async in await Task.yield() }
      }
    }
  }

  @Test(
    "its actions pass only while the host holds it open, and its capabilities are given the key")
  func opening() throws {
    let host = try host()
    #expect(
      try host.dispatch("refund", ["cents": 5]).description
        == "refused by scope staff: it is locked: scope staff needs its key")
    let opening = try host.open(staff, with: Badge(name: "Ann"))
    #expect(try opening.isOpen)
    #expect(try host.dispatch("refund", ["cents": 5]).isPassed)
    #expect(try host.settle().count == 2)
    #expect(
      lines.value == [
        "Ann pays 5\thello", "false\tflow.lua:13: the key of scope staff is the host's",
        "false\tflow.lua:14: scope staff is closed by the host alone",
      ])
    try opening.close()
    #expect(try !opening.isOpen)
    #expect(try host.settle().isEmpty)  // neither the effect nor what it scheduled
    try opening.close()
    #expect(try !host.may("refund", ["cents": 5]).isGranted)
    try host.advance(20)
    #expect(try host.state()["late"] == 0)
  }

  @Test("no script opens it, with whatever key; one that is open is reached from its parent")
  func forging() throws {
    let host = try host()
    try host.dispatch("tried", ["what": "unlock"])
    try host.dispatch("tried", ["what": "forge"])
    #expect(
      lines.value == [
        "false\tflow.lua:19: scope staff is locked: it needs its key",
        "false\tflow.lua:20: scope staff is opened by the host alone",
      ])
    _ = try host.open(staff, with: Badge(name: "Eve"))
    try host.dispatch("tried", ["what": "forge"])
    try host.dispatch("tried", ["what": "use"])
    #expect(
      lines.value.suffix(2) == [
        "false\tflow.lua:20: scope staff is opened by the host alone", "Eve pays 7",
      ])
  }

  @Test("it opens inside an open scope only, and closes with it")
  func inside() throws {
    let desk = KeyedScope("desk", key: Int.self, parent: "user", actions: ["refund"])
    let host = try FlowHost(
      source: Self.flow, options: HostOptions(clock: .virtual, report: { _ in })
    ) {
      $0.declare(desk)
    }
    #expect { try host.open(desk, with: 1) } throws: {
      "\($0)" == "scope desk cannot be opened: it lies in scope user, which is locked"
    }
    try host.dispatch("log_in")
    let opening = try host.open(desk, with: 1)
    #expect { try host.open(desk, with: 2) } throws: {
      "\($0)" == "scope desk is open already; close it before it is opened again"
    }
    #expect(try host.may("refund", ["cents": 1]).isGranted)
    try host.dispatch("log_out")
    #expect(try !opening.isOpen)
    try host.dispatch("log_in")
    #expect(try !host.may("refund", ["cents": 1]).isGranted)
  }

  @Test("what is open stays so when the history goes back, and over every reload")
  func kept() throws {
    let host = try host()
    let opening = try host.open(staff, with: Badge(name: "Ann"))
    try host.dispatch("refund", ["cents": 5])
    try host.undo()
    #expect(try opening.isOpen)
    try host.redo()
    for mode in [FlowHost.Reload.keep, .replay, .reset] {
      try host.reload(mode)
      #expect(try opening.isOpen, "\(mode)")
      #expect(try host.may("refund", ["cents": 5]).isGranted)
    }
    try opening.close()
    #expect(try !host.may("refund", ["cents": 5]).isGranted)
  }

  @Test("a timer of an opening that the host has closed does not come back with the history")
  func timers() throws {
    let host = try host()
    let opening = try host.open(staff, with: Badge(name: "Ann"))
    try host.dispatch("refund", ["cents": 5])
    try host.dispatch("log_in")
    try opening.close()
    try host.undo()
    try host.advance(20)
    #expect(try host.state()["late"] == 0)
  }

  @Test(
    "a declaration that does not fit the flow is an error that says where it stands",
    arguments: [
      (KeyedScope("user", key: Int.self), "there is a scope of that name (flow.lua:7)"),
      (
        KeyedScope("staff", key: Int.self, parent: "usr"),
        "there is no scope usr to be its parent; did you mean user?"
      ),
      (
        KeyedScope("staff", key: Int.self, actions: ["refunds"]),
        "flow.lua declares no action refunds; did you mean refund?"
      ),
    ])
  func faulty(scope: KeyedScope<Int>, message: String) {
    #expect {
      try FlowHost(source: Self.flow) { $0.declare(scope) }
    } throws: {
      "\($0)".hasPrefix("MoonlatchTests/KeyedScopeTests.swift:")
        && "\($0)".hasSuffix("scope \(scope.name) of the host: \(message)")
    }
  }

  @Test("an action has one owner, a scope one declaration, and only what is declared can be opened")
  func owners() throws {
    let first = KeyedScope("first", key: Int.self, actions: ["refund"])
    let second = KeyedScope("second", key: Int.self, actions: ["refund"])
    #expect {
      try FlowHost(source: Self.flow) { scopes in
        scopes.declare(first)
        scopes.declare(second)
      }
    } throws: { "\($0)".contains("action refund has an owner already: scope first (") }
    let host = try FlowHost(source: Self.flow) { $0.declare(first) }
    #expect { try host.open(second, with: 1) } throws: {
      "\($0)" == "this host has not declared scope second"
    }
  }
}
