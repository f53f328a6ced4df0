import FlowHosting
import FlowKernel
import Testing

@Suite struct RefusalTests {
  private let flow = """
    state { user = none }
    action.go {} action.load {} action.rename {} action.push {} action.pull {}
    machine.door { initial = "closed", closed = { open = "opened" }, opened = { go = "closed" } }
    action.open {}
    gatekeeper.loading { load = "attempt" }
    scope.user { key = function(s) return s.user end, actions = { "rename" } }
    function gate.push(s) return false, "no" end
    gate("hours", { "pull" }, function(s) return false end)
    """

  @Test("the refuser is identified by kind and name, and described as in messages")
  func refusers() throws {
    var options = HostOptions(clock: .virtual)
    options.addGate("native", for: ["open"]) { _, _ in .refuses("not in Swift") }
    let host = try FlowHost(source: flow, options: options)
    try host.passing("load")
    let expected: [(String, Refusal.Refuser, String)] = [
      ("go", .machine("door"), "machine door"),
      ("load", .gatekeeper("loading"), "gatekeeper loading"),
      ("rename", .scope("user"), "scope user"), ("push", .gate("push"), "gate push"),
      ("pull", .gate("hours"), "gate hours"), ("open", .gate("native"), "gate native"),
    ]
    for (action, refuser, sentence) in expected {
      let refusal = try #require(try host.dispatch(action).refusal)
      #expect(refusal.rejectedBy == refuser)
      #expect(refusal.rejectedBy.description == sentence)
      #expect(sentence.hasSuffix(" " + refusal.rejectedBy.name))
      #expect(refusal.action == action)
      #expect(try host.may(action).refusal == refusal)
    }
    #expect(try host.dispatch("pull").description == "gate hours gave no reason (flow.lua:8)")
  }
}
