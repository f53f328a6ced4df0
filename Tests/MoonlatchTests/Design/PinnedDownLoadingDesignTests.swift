import FlowHosting
import FlowKernel
import Testing

/// Rules of ContractOfHosts.md, sections 2 and 10, as sentences with a test each.
@Suite("Rules of loading") struct PinnedDownLoadingDesignTests {
  @Test(
    """
    Reload is a snapshot restored into the new flow; if it does not fit (a machine's state or a \
    closed field is gone), the old flow keeps running and the report says why.
    """)
  func reload() throws {
    let folder = try TestFolder()
    let old = """
      state { n = 1, user = { name = "a" } } action.go {} action.late {}
      machine.m { initial = "a", a = { go = "b" }, b = { go = "c", late = "a", after = { late = 5 } }, c = {} }
      function reduce.go(s) s.n = s.n + 1 end
      """
    let file = try folder.write(old, to: "flow.lua")
    let host = try FlowHost(flow: file, options: HostOptions(clock: .virtual, report: { _ in }))
    try host.dispatch("go")
    try folder.write(old + "\nfunction view.n(s) return s.n end", to: "flow.lua")
    try host.reload()
    #expect(try host.view("n") == 2)
    #expect(try host.revision == 1)
    #expect(try host.settle() == ["late is due at 5 s"])
    for (text, reason) in [
      (
        "state { n = 1, user = { name = 'a' } } action.go {}\nmachine.m { initial = 'a', a = { go = 'a' } }",
        "machine m is in b, a state that was removed"
      ),
      ("state { n = 1, user = { name = 'a' } } action.go {}", "machine m is in b, and was removed"),
      (
        old.split(separator: "{ name = \"a\" }").joined(separator: "{ nick = 'a' }"),
        "state.user has no field name"
      ),
      ("state {", "unexpected symbol near <eof>"),
    ] {
      try folder.write(text, to: "flow.lua")
      #expect {
        try host.reload()
      } throws: {
        "\($0)".contains(reason)
      }
      #expect(try host.state() == ["n": 2, "user": ["name": "a"], "m": "b"])
    }
    try host.dispatch("go")
    #expect(try host.state()["m"] == "c")
  }

  @Test(
    """
    Faults found at load (exit 2): a rule, reducer, effect, machine, gatekeeper or scope that names \
    an undeclared action; an unknown target; a missing or unknown `initial`; an action with two \
    owners; a machine named like a field; an option tested or reset but never attempted.
    """,
    arguments: [
      ("function gate.b() return true end", "gate.b: there is no action b"),
      ("gate('r', { 'b' }, function() return true end)", "gate r: there is no action b"),
      ("function reduce.b() end", "reduce.b: there is no action b"),
      ("function effect.b() end", "effect.b: there is no action b"),
      ("effect('e', { 'b' }, function() end)", "effect e: there is no action b"),
      (
        "effect.go { run = function() end, on_error = 'b' }",
        "effect.go: on_error: there is no action b"
      ),
      ("machine.m { initial = 'x', x = { b = 'x' } }", "machine m: there is no action b"),
      ("machine.m { initial = 'x', x = { after = { b = 1 } } }", "machine m: there is no action b"),
      ("gatekeeper.k { b = 'attempt' }", "gatekeeper k: there is no action b"),
      ("scope.s { key = print, actions = { 'b' } }", "scope s: there is no action b"),
      (
        "machine.m { initial = 'x', x = { go = 'yy' } }",
        "machine m: x.go leads to yy, which is not a state of this machine"
      ),
      ("machine.m { x = { go = 'x' } }", "machine m has no initial state: initial = \"x\""),
      (
        "machine.m { initial = 'xx', x1 = { go = 'x1' } }",
        "machine m: the initial state xx does not exist"
      ),
      (
        "scope.s { key = print, actions = { 'go' } } scope.t { key = print, actions = { 'go' } }",
        "action go has two owners: scope s (flow.lua:2) and scope t"
      ),
      (
        "machine.n { initial = 'x', x = { go = 'x' } }",
        "machine n has the same name as the field state.n (flow.lua:1); its state is stored in s.n"
      ),
      (
        "gatekeeper.k { go = { reset = 'x' } }",
        "gatekeeper k: \"x\" is tested or reset, but no action attempts it"
      ),
      (
        "gatekeeper.k { go = { unless = 'x', attempt = 'y' } }",
        "gatekeeper k: \"x\" is tested or reset, but no action attempts it"
      ),
      ("gatekeeper.k { go = 'reset' }", "gatekeeper k: no action attempts a passage"),
      (
        "machine.m { initial = 'x', x = { go = 'x' }, y = { go = 'x' } }",
        "machine m: no transition leads to y from x"
      ),
    ])
  func faultsAtLoad(declaration: String, message: String) {
    let found = faults(of: "state { n = 0 } action.go {}\n\(declaration)")
    #expect(found.count == 1, "\(found)")
    #expect(found.first?.hasPrefix("flow.lua:2: \(message)") == true, "\(found)")
  }
}
