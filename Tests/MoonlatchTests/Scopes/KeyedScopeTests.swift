import FlowHosting
import FlowKernel
import Platform
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
      clock: .virtual, keepsTranscript: true, print: { lines.add($0) },
      report: { lines.add("\($0)") })
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

  @Test("a host scope's actions pass while it is open, and its capabilities get the key")
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
        "Ann pays 5\thello", "false\tflow.lua:13: the key of scope staff belongs to the host",
        "false\tflow.lua:14: only the host closes scope staff",
      ])
    try opening.close()
    #expect(try !opening.isOpen)
    #expect(try host.settle().isEmpty)  // neither the effect nor what it scheduled
    try opening.close()
    #expect(try !host.may("refund", ["cents": 5]).isGranted)
    try host.advance(20)
    #expect(try host.state()["late"] == 0)
  }

  @Test("a script cannot open a host scope, and reaches an open one from its parent")
  func forging() throws {
    let host = try host()
    try host.dispatch("tried", ["what": "unlock"])
    try host.dispatch("tried", ["what": "forge"])
    #expect(
      lines.value == [
        "false\tflow.lua:19: scope staff is locked: it needs its key",
        "false\tflow.lua:20: only the host opens scope staff",
      ])
    _ = try host.open(staff, with: Badge(name: "Eve"))
    try host.dispatch("tried", ["what": "forge"])
    try host.dispatch("tried", ["what": "use"])
    #expect(
      lines.value.suffix(2) == [
        "false\tflow.lua:20: only the host opens scope staff", "Eve pays 7",
      ])
  }

  @Test("a host scope opens only inside an open parent, and closes with it")
  func inside() throws {
    let desk = KeyedScope("desk", key: Int.self, parent: "user", actions: ["refund"])
    let host = try FlowHost(
      source: Self.flow, options: HostOptions(clock: .virtual, report: { _ in })
    ) {
      $0.declare(desk)
    }
    #expect { try host.open(desk, with: 1) } throws: {
      "\($0)" == "scope desk cannot be opened: its parent, scope user, is locked"
    }
    try host.dispatch("log_in")
    let opening = try host.open(desk, with: 1)
    #expect { try host.open(desk, with: 1) } throws: {
      "\($0)" == "scope desk is open already; close it before it is opened again"
    }
    #expect(try host.may("refund", ["cents": 1]).isGranted)
    try host.dispatch("log_out")
    #expect(try !opening.isOpen)
    try host.dispatch("log_in")
    #expect(try !host.may("refund", ["cents": 1]).isGranted)
  }

  @Test("an open host scope stays open after undo, and across every reload")
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

  @Test("a timer of a closed host scope is not restored by undo")
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

  /// A flow whose scope `staff` has an action that is refunded later.
  private static let till = """
    state { paid = 0 }
    action.refund { cents = integer }
    action.settle { cents = integer }
    action.look {}
    function reduce.settle(s, a) s.paid = s.paid + a.cents end
    function effect.refund(self, a) print(self:pay_out(a.cents)) after(10, "settle", { cents = a.cents }) end
    function effect.settle(self, a) print(self:pay_out(-a.cents)) end
    function effect.look(self) print(self:unlock("staff"):pay_out(0)) end
    """

  private func openTill(_ keepsTranscript: Bool = false) throws -> (
    host: FlowHost, ann: HostScopeInstance, bob: HostScopeInstance, staff: KeyedScope<Badge>
  ) {
    let lines = lines
    let staff = KeyedScope("staff", key: Badge.self, actions: ["refund", "settle"])
    let host = try FlowHost(
      source: Self.till,
      options: HostOptions(
        clock: .virtual, keepsTranscript: keepsTranscript, print: { lines.add($0) },
        report: { lines.add("\($0)") })
    ) { scopes in
      scopes.declare(staff) { staff in
        staff.provide("pay_out") { (badge: Badge, cents: Int) in "\(badge.name) pays \(cents)" }
      }
    }
    return (
      host, try host.open(staff, with: Badge(name: "Ann")),
      try host.open(staff, with: Badge(name: "Bob")), staff
    )
  }

  @Test("a host scope can be open with several keys, and its actions pass while one is open")
  func severalKeys() throws {
    let (host, ann, bob, _) = try openTill()
    #expect(try host.openScopes.map(\.name) == ["root", "staff", "staff"])
    try host.passing("refund", ["cents": 1])
    try ann.dispatch("refund", ["cents": 2]).get()
    try bob.dispatch("refund", ["cents": 3]).get()
    try host.passing("look")
    #expect(lines.value == ["Bob pays 1", "Ann pays 2", "Bob pays 3", "Bob pays 0"])
    try bob.close()
    #expect(try ann.isOpen && !bob.isOpen)
    try host.passing("refund", ["cents": 4])
    #expect(lines.value.last == "Ann pays 4")
    try ann.close()
    #expect(
      try host.dispatch("refund", ["cents": 5]).description
        == "refused by scope staff: it is locked: scope staff needs its key")
  }

  @Test("consequences of an action stay in its scope instance, and end with it")
  func chains() throws {
    let (host, ann, bob, _) = try openTill()
    try ann.dispatch("refund", ["cents": 2]).get()
    try bob.dispatch("refund", ["cents": 3]).get()
    try host.advance(10)
    #expect(lines.value == ["Ann pays 2", "Bob pays 3", "Ann pays -2", "Bob pays -3"])
    try ann.dispatch("refund", ["cents": 4]).get()
    try ann.close()
    try host.advance(10)
    #expect(lines.value.count == 5, "what Ann's opening had scheduled went with it")
    #expect(try host.state()["paid"] == 5)
  }

  @Test("nothing passes through a closed scope instance, although another is open")
  func closedScopeInstance() throws {
    let (host, ann, _, _) = try openTill()
    try ann.close()
    let outcome = try ann.dispatch("refund", ["cents": 2])
    #expect(outcome.refusal?.rejectedBy == .scope("staff"))
    #expect(
      outcome.description
        == "refused by scope staff: the scope instance through which it was dispatched is closed")
    let cents = 2
    let refusal = try ann.dispatch("settle", ["cents": cents]).refusal
    #expect(refusal?.reason == "the scope instance through which it was dispatched is closed")
    #expect(try host.revision == 0)
  }

  @Test("scope instances keep their keys on undo and across every reload, timers included")
  func keptKeys() throws {
    let (host, ann, bob, staff) = try openTill(true)
    try ann.dispatch("refund", ["cents": 2]).get()
    try host.passing("look")
    try host.undo()
    let carl = try host.open(staff, with: Badge(name: "Carl"))
    try host.undo()
    try host.redo()
    try host.reload()
    #expect(try ann.isOpen && bob.isOpen && carl.isOpen)
    try host.advance(10)
    #expect(lines.value == ["Ann pays 2", "Bob pays 0", "Ann pays -2"])
    try host.reload(.reset)
    try bob.dispatch("refund", ["cents": 6]).get()
    try host.passing("look")
    #expect(lines.value.suffix(2) == ["Bob pays 6", "Carl pays 0"])
  }

  @Test("a scope closed by the host stays closed across every reload")
  func closedForGood() throws {
    let (host, ann, bob, _) = try openTill(true)
    try bob.close()
    for mode in [FlowHost.Reload.keep, .reset] {
      try host.reload(mode)
      #expect(try ann.isOpen && !bob.isOpen, "\(mode)")
    }
    try ann.close()
    try host.reload()
    #expect(try host.openScopes.map(\.name) == ["root"])
  }

  @Test("a transcript records the scope instance of an action, and a replay uses it")
  func replayed() throws {
    let (host, ann, _, _) = try openTill(true)
    try ann.dispatch("refund", ["cents": 2]).get()
    try ann.close()
    try host.advance(10)
    #expect(try host.state()["paid"] == 0)
    let text = try #require(try host.transcript).text
    let transcript = try Transcript(text: text)
    #expect(transcript.entries.contains(.through(instance: 1)))
    let staff = KeyedScope("staff", key: Badge.self, actions: ["refund", "settle"])
    let other = try FlowHost(source: Self.till, options: HostOptions(clock: .virtual)) { scopes in
      scopes.declare(staff) { staff in
        staff.provide("pay_out") { (badge: Badge, cents: Int) in "nobody is called" }
      }
    }
    #expect(try other.replay(transcript) == nil)
    #expect(try other.state()["paid"] == 0, "the timer of Ann's opening went with it")
    #expect(try host.reload(.replay) == nil)
    #expect(try host.state()["paid"] == 0)
  }

  @Test("opening a scope with a key equal to an open one is an error")
  func equalKeys() throws {
    let desk = KeyedScope("desk", key: Int.self)
    let host = try FlowHost(source: Self.till) { $0.declare(desk) }
    let one = try host.open(desk, with: 1)
    _ = try host.open(desk, with: 2)
    #expect { try host.open(desk, with: 1) } throws: {
      "\($0)" == "scope desk is open already; close it before it is opened again"
    }
    try one.close()
    #expect(try host.open(desk, with: 1).isOpen)
  }

  @Test(
    "a declaration of a host scope that does not fit the flow is an error with its place",
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

  @Test("an action has one scope, a scope one declaration, and only declared scopes can be opened")
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
