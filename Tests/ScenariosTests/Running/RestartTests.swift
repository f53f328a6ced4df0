import Foundation
import Testing

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

  @Test("a durable effect resumes: nothing is called, dispatched or printed twice")
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

  @Test("a stub that raised is not called again, and one that slept is")
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

  @Test("an error of a stub is replayed unchanged, a text with a place or a table")
  func sameError() throws {
    let flow = """
      state { log = list_of(string) }
      action.go {} internal.note { text = string }
      function reduce.note(s, a) table.insert(s.log, a.text) end
      effect.go = { durable = true, run = function(self)
        local fine, problem = pcall(function() return self:ask() end)
        dispatch.note { text = type(problem) == "table" and "code " .. problem.code or problem }
        sleep(10)
        dispatch.note { text = type(problem) == "table" and "code " .. problem.code or problem }
      end }
      """
    for (raise, told) in [
      ("error(\"bad\", 0)", "bad"), ("error({ code = 7 })", "code 7"),
      ("sleep(1) error(\"bad\", 0)", "bad"), ("sleep(1) error({ code = 7 })", "code 7"),
    ] {
      #expect(
        try run(
          """
          local calls = 0
          stub("root.ask", function() calls = calls + 1 \(raise) end)
          pass.go()
          restart() advance(2) restart() restart()
          advance(10)
          expect { log = { "\(told)", "\(told)" } }
          """, flow: flow) == ["passed"], "\(raise)")
    }
  }

  private let asking = """
    state { log = list_of(string), problem = none, n = 0 }
    action.go {} internal.note { text = string } internal.failed { error = string } action.add {}
    function reduce.note(s, a) table.insert(s.log, a.text) end
    function reduce.failed(s, a) s.problem = a.error end
    function reduce.add(s) s.n = s.n + 1 end
    function view.n(s) return s.n end
    function view.log(s) return table.concat(s.log, " | ") end
    gatekeeper.desk { go = { attempt = "x" } }
    effect.go = { durable = true, on_error = "failed", run = function(self)
      local a = self:ask(random(1000))
      dispatch.note { text = a .. " " .. now() .. " " .. random(1000) }
      local both = all {
        one = function() return self:ask(1) end,
        two = function() sleep(2) dispatch.note { text = "two " .. random(1000) } return self:ask(2) end,
      }
      dispatch.note { text = both.one .. both.two .. now() .. " " .. random(1000) }
      sleep(10)
      dispatch.note { text = "end" }
    end }
    """

  @Test("effects of a stub itself are not replayed as its effect's, whatever the restarts")
  func stubsDoings() throws {
    let play = """
      stub("root.ask", function(x)
        print("asked")
        local at, chance = now(), math.random(1000)
        may("add", {}) gatekeeper.desk:may_pass("x") view.n()
        sleep(3)
        sleep(0)
        return now() .. ":" .. math.random(1000) .. ":" .. at .. ":" .. chance .. ";"
      end)
      pass.go()

      """
    func played(_ between: String) throws -> [String] {
      try run(
        play + String(repeating: "\(between) advance(1)\n", count: 24)
          + "expect { problem = none } print(view.log())", flow: asking)
    }
    let live = try played("")
    #expect(live.first == "passed", "\(live)")
    #expect(live.count == 5 && live.last?.hasSuffix("end") == true, "\(live)")
    #expect(try played("restart()") == live)
    #expect(try played("settle() restart() restart()") == live)
    #expect(try played("advance(0.5) restart()").first == "passed")
  }

  @Test("the answer of revised is replayed after a restart")
  func revised() throws {
    let flow = """
      state { log = list_of(string) }
      action.go {} internal.note { text = string }
      function reduce.note(s, a) table.insert(s.log, a.text) end
      effect.go = { durable = true, run = function(self)
        for i = 1, 3 do
          dispatch.note { text = revised("x") and revised("y" .. i) and self:ask(i) or "no" }
          sleep(1)
        end
      end }
      """
    let body = """
      stub("root.ask", function(i) sleep(0.5) return "yes" .. i end)
      pass.go() settle()
      advance(0.6) advance(0.6) advance(5)
      expect { log = { "yes1", "yes2", "yes3" } }
      """
    #expect(try run(body, flow: flow) == ["passed"])
    #expect(try run(body, restarts: true, flow: flow) == ["passed"])
  }

  @Test("a plain effect is ended by a restart, and on_error runs")
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

  @Test("timers keep their times, queued actions stay queued, and stale ones stay stale")
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

  @Test("a restart after a turn is skipped if it would end something, and that is reported")
  func fleeting() throws {
    #expect(
      try run("pass.ring() advance(5) expect { steps = { \"rang\" } }", restarts: true)
        == ["passed", "no restart, because it would have ended: effect.ring"])
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
          "no restart, because it would have ended: a clean-up of scope room",
        ])
  }

  @Test("locals of the flow's files are reset to their loaded values, as in another process")
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

  @Test("restart belongs inside a scenario, and not in a stub")
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

  @Test("given values survive a restart")
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
