import Foundation
import Testing

@testable import Moonlatch
@testable import Scenarios

/// `restart()` in scenarios, and a restart after every turn.
@Suite struct RestartTests {
  private static let order = """
    state { cents = 0, receipt = none, problem = none, steps = list {}, opened = none }
    action.pay { cents = integer { min = 1 } }
    action.step { text = string } action.paid { receipt = string } action.failed { error = string }
    action.ring {} action.rang {} action.open {} action.close {} action.late {} action.expire {}
    gatekeeper.desk { pay = { attempt = "x" }, paid = { reset = "x" } }
    machine.order {
      initial = "open",
      open = { pay = "paying", expire = "expired", after = { expire = 100 } },
      paying = { paid = "done", failed = "open" }, done = {}, expired = {},
    }
    scope.room { key = function(s) return s.opened end, actions = { "close", "late" } }
    effect.pay = { durable = true, on_error = "failed", run = function(self, a)
      print("paying")
      local receipt = self:charge(a.cents)
      dispatch.step { text = "charged " .. receipt .. " " .. random(1000000) }
      sleep(10)
      self:mail("receipt " .. receipt)
      dispatch.paid { receipt = receipt }
    end }
    action.cut { error = string }
    function reduce.cut(s, a) s.problem = a.error end
    effect.ring = { on_error = "cut", run = function() sleep(5) dispatch.rang() end }
    function effect.open() after(10, "late") end
    function reduce.open(s) s.opened = (s.opened or 0) + 1 end
    function reduce.close(s) s.opened = none end
    function reduce.late(s) table.insert(s.steps, "late") end
    function reduce.pay(s, a) s.cents = a.cents end
    function reduce.step(s, a) table.insert(s.steps, a.text) end
    function reduce.paid(s, a) s.receipt = a.receipt end
    function reduce.failed(s, a) s.problem = a.error end
    function reduce.rang(s) table.insert(s.steps, "rang") end
    """

  /// A line a scenario, with what it printed and what was wrong.
  private func run(_ body: String, restarts: Bool = false, flow: String = order) throws -> [String]
  {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "restart-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try flow.write(to: folder.appending(path: "order.lua"), atomically: true, encoding: .utf8)
    let file = folder.appending(path: "order.scenario.lua")
    try "flow \"order.lua\"\nscenario(\"it\", function()\n\(body)\nend)\n"
      .write(to: file, atomically: true, encoding: .utf8)
    var settings = PlaySettings()
    settings.restarts = restarts
    var told: [String] = []
    _ = Runner(settings: settings).run(Selection([file.path])) { event in
      switch event {
      case .ended(let record):
        told.append(record.status.rawValue)
        told += record.printed
        if let problem = record.problem { told.append(problem.message) }
      case .unloadable(_, let message): told.append(message)
      default: break
      }
    }
    return told
  }

  private let stubs = """
    local calls = 0
    stub("root.charge", function(cents) calls = calls + 1 return "r" .. cents end)
    stub("root.mail", function() calls = calls + 1 end)

    """

  @Test("a durable effect goes on: nothing is called, dispatched or printed a second time")
  func durable() throws {
    #expect(
      try run(
        stubs + """
          pass.pay { cents = 5 }
          restart() settle() restart()
          expect.gatekeeper.desk "x"
          advance(4) restart() advance(6)
          expect { receipt = "r5", order = "done", problem = none }
          expect.gatekeeper.desk {}
          assert(calls == 2)
          """) == ["passed", "paying"])
  }

  @Test("a stub that raises has raised for good; one that sleeps does so once more")
  func errors() throws {
    #expect(
      try run(
        """
        local calls = 0
        stub("root.charge", function() calls = calls + 1 error("no money", 0) end)
        pass.pay { cents = 5 }
        restart() settle()
        expect { problem = "no money" }
        assert(calls == 1)
        """) == ["passed", "paying"])
    #expect(
      try run(
        """
        stub("root.charge", function(cents) sleep(3) return "r" .. cents end)
        stub("root.mail", function() end)
        pass.pay { cents = 5 }
        advance(2) restart() advance(1) restart()
        expect.gatekeeper.desk "x"
        advance(10)
        expect { receipt = "r5" }
        """) == ["passed", "paying"])
  }

  @Test("a plain effect is cut off, and on_error follows")
  func plain() throws {
    #expect(
      try run(
        """
        pass.ring()
        restart()
        settle()
        expect { problem = "effect.ring was cut off by a restart", steps = {} }
        advance(60)
        expect { steps = {} }
        """) == ["passed"])
  }

  @Test("timers keep their time, what is queued stays so, and what is stale stays stale")
  func timers() throws {
    #expect(
      try run(
        """
        advance(99) restart()
        expect.machine.order "open"
        advance(1)
        expect.machine.order "expired"
        """) == ["passed"])
    #expect(
      try run(
        """
        pass.open() restart()
        pass.close() restart()
        pass.open()
        restart()
        advance(10)
        expect { steps = { "late" }, opened = 1 }
        expect.refused.late():because("stale")
        """) == ["passed"])
    #expect(
      try run(
        """
        pass.go() restart()
        expect { n = 0 }
        settle()
        expect { n = 1 }
        """,
        flow:
          "state { n = 0 } action.go {} action.went {} function effect.go() dispatch.went() end "
          + "function reduce.went(s) s.n = s.n + 1 end") == ["passed"])
  }

  @Test("with a restart after every turn the same expectations hold")
  func everyTurn() throws {
    let body =
      stubs + """
        pass.pay { cents = 5 }
        settle()
        advance(4) advance(6)
        expect { receipt = "r5" }
        assert(calls == 2)
        refuse.pay { cents = 1 }:by("machine order")
        """
    #expect(try run(body, restarts: true) == ["passed", "paying"])
    #expect(try run(body) == ["passed", "paying"])
  }

  @Test("a restart after every turn is left out where it would end something, and that is told")
  func fleeting() throws {
    #expect(
      try run("pass.ring() advance(5) expect { steps = { \"rang\" } }", restarts: true)
        == ["passed", "no restart while there was what one ends: effect.ring"])
    let flow = """
      state { id = none } action.open {} action.close {}
      function reduce.open(s) s.id = 1 end
      function reduce.close(s) s.id = none end
      scope.room { key = function(s) return s.id end, actions = { "enter" } }
      action.enter {}
      function effect.enter(self) self:defer(function() print("cleaned up") end) end
      """
    #expect(
      try run("pass.open() pass.enter() pass.close()", restarts: true, flow: flow)
        == [
          "passed", "cleaned up",
          "no restart while there was what one ends: a clean-up of scope room",
        ])
  }

  @Test("locals of the flow's files are what they were after loading, as in another process")
  func locals() throws {
    let flow = """
      state { n = 0, seen = 0 }
      local count, seen = 0, { first = true, list = { 1 } }
      action.add {}
      function reduce.add(s)
        count = count + 1
        seen[count] = true
        seen.first = nil
        table.insert(seen.list, count)
        s.n, s.seen = count, #seen.list
      end
      """
    #expect(
      try run(
        """
        pass.add() pass.add()
        expect { n = 2, seen = 3 }
        restart()
        expect { n = 2, seen = 3 }
        pass.add()
        expect { n = 1, seen = 2 }
        """, flow: flow
      ).first == "passed")
    #expect(
      try run("pass.add() pass.add() expect { n = 2 }", restarts: true, flow: flow).first
        == "failed")
  }

  @Test("restart belongs inside a scenario, and not into a stub")
  func misuse() throws {
    #expect(
      try run("end) restart() scenario(\"x\", function()").first?.contains(
        "restart belongs inside a scenario") == true)
    #expect(
      try run(
        "stub(\"root.charge\", function() restart() end) pass.pay { cents = 1 } settle() expect { cents = 1 } "
          + "error(\"reached\", 0)"
      ).last == "reached")
  }

  @Test("what was given, too, is there after a restart")
  func given() throws {
    #expect(
      try run(
        """
        given { order = "paying", cents = 7 }
        given.gatekeeper.desk { "x" }
        restart()
        expect { order = "paying", cents = 7 }
        expect.gatekeeper.desk "x"
        pass.paid { receipt = "r" }
        restart()
        expect.change { receipt = "r", order = "done" }
        expect.gatekeeper.desk {}
        """) == ["passed"])
  }
}
