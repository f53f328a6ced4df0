import FlowKernel
import Testing

@testable import FlowTools

/// Findings about flows that cannot continue after a restart.
@Suite struct DurableCheckTests {
  private func findings(_ source: String) throws -> [String] {
    let loaded = try LoadedFlow(source: source, name: "f.lua")
    return try FlowCheck(text: FlowText(loaded), viewsReadOutside: ["v"], isDurable: true)
      .findings().map(\.description).filter {
        $0.contains("[lost-local]") || $0.contains("[cut-off-effect]")
          || $0.contains("[changed-local]")
      }.sorted()
  }

  @Test("each function that changes a local of the file is reported")
  func locals() throws {
    let found = try findings(
      """
      state { n = 0 }
      local count, seen, loaded = 0, {}, 0
      local function note(name) seen[name] = true end
      local function once() loaded = loaded + 1 end
      once()
      action.add {} action.go {}
      function reduce.add(s) count = count + 1  s.n = count end
      function view.v(s) local count = s.n  count = count + 1  return count end
      effect.go = { durable = true, on_error = "add", run = function(self)
        retry({}, function() count = count + self:fetch() end)
        table.insert(seen, 1)
        note("a")
      end }
      version(2)
      function migrate.to_2(s) count = 2 end
      """)
    func told(_ line: Int, _ title: String, _ local: String) -> String {
      "f.lua:\(line): warning: \(title) changes \(local), a local of the file, which a restart "
        + "loses: store it in the state [lost-local]"
    }
    #expect(
      found == [
        told(10, "effect.go", "count"), told(11, "effect.go", "seen"),
        told(15, "migrate.to_2", "count"), told(3, "function note", "seen"),
        told(7, "reduce.add", "count"),
      ])
  }

  private static let stuck = """
    state { n = 0 }
    action.pay {} action.paid {} action.lock {} action.unlock {} action.plain {} action.failed { error = string }
    machine.order { initial = "open", open = { pay = "paying", plain = true }, paying = { paid = "open", failed = "open" } }
    gatekeeper.desk { lock = { attempt = "x" }, unlock = { reset = "x" } }
    """

  @Test(
    "a plain effect that a restart interrupts needs on_error if its action changes a machine or lock"
  )
  func stuck() throws {
    let found = try findings(
      DurableCheckTests.stuck + """

        function effect.pay(self) self:charge() dispatch.paid() end
        function effect.lock() sleep(5) dispatch.unlock() end
        function effect.plain(self) self:tell() end
        """)
    #expect(
      found == [
        "f.lua:5: warning: a restart cuts off effect.pay, and machine order stays in the state to which pay leads"
          + ": declare on_error, or durable = true [cut-off-effect]",
        "f.lua:6: warning: a restart cuts off effect.lock, and gatekeeper desk stays held by "
          + "lock: declare on_error, or durable = true [cut-off-effect]",
      ])
  }

  @Test(
    "an effect that is durable, has on_error or ends within its turn has no finding",
    arguments: [
      "effect.pay = { durable = true, run = function(self) self:charge() dispatch.paid() end }",
      "effect.pay = { on_error = \"failed\", run = function(self) self:charge() dispatch.paid() end }",
      "function effect.pay(self) print((\"x\"):upper()) after(3, \"paid\") dispatch.paid() end",
    ])
  func fine(effect: String) throws {
    #expect(try findings(DurableCheckTests.stuck + "\n" + effect) == [])
  }

  @Test("a state effect needs on_error too")
  func ofState() throws {
    let found = try findings(
      """
      state { n = 0 } action.go {} action.back {}
      machine.m { initial = "a", a = { go = "b" }, b = { back = "a", effect = function(self) self:load() dispatch.back() end } }
      """)
    #expect(found.count == 1)
    #expect(
      found.first?.contains("a restart cuts off effect of m.b, and its state stays active") == true)
  }

  @Test("a check without the option for durable flows reports none of their findings")
  func plain() throws {
    let source = DurableCheckTests.stuck + "\nfunction effect.pay(self) self:charge() end"
    let loaded = try LoadedFlow(source: source, name: "f.lua")
    let found = try FlowCheck(text: FlowText(loaded), viewsReadOutside: nil).findings()
    #expect(!found.contains { $0.kind == .cutOffEffect })
  }

  @Test("revised may be called in effects and nowhere else")
  func revised() throws {
    func found(_ body: String) throws -> [String] {
      let loaded = try LoadedFlow(
        source: "state { n = 0 }\naction.go {}\nfunction reduce.go(s) s.n = 1 end\n\(body)",
        name: "f.lua")
      return try FlowCheck(text: FlowText(loaded), viewsReadOutside: [], isDurable: true)
        .findings().map(\.description).filter { !$0.contains("[never-read]") }
    }
    let own = try found(
      "effect.go = { durable = true, run = function() if revised(\"x\") then sleep(1) end end }")
    #expect(!own.contains { $0.contains("revised") }, "\(own)")
    let mistyped = try found("function effect.go() if revized(\"x\") then sleep(1) end end")
    #expect(mistyped.contains { $0.contains("revised") }, "\(mistyped)")
    let rule = try found("function gate.go(s) return revised(\"x\") end")
    #expect(rule.contains { $0.contains("revised") }, "\(rule)")
    let shadowed = try found(
      "function revised(x) return x end\nfunction effect.go() revised(1) end")
    #expect(shadowed.contains { $0.contains("[own-word]") }, "\(shadowed)")
  }
}
