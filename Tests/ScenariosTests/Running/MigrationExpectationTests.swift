import Testing

@testable import Scenarios

/// `expect.migrates` in scenarios.
@Suite struct MigrationExpectationTests {
  private static let order = """
    version(3)
    state { cents = integer { min = 0, default = 0 }, list = list {}, note = none }
    action.expire {} action.tick {} action.place {}
    machine.order {
      initial = "empty",
      empty = { place = "open" },
      open = { expire = "late", after = { expire = "3d" }, every = { tick = 60 }, tick = true },
      late = {},
    }
    invariant.cents = function(s) return s.cents < 1000, "too many cents" end
    function migrate.to_2(s)
      s.cents, s.euros = s.euros and math.floor(s.euros * 100 + 0.5), nil
    end
    function migrate.to_3(s) if s.order == "new" then s.order = "open" end end
    """

  /// Returns the status of each scenario, followed by its problem.
  private func run(_ body: String, flow: String = order) throws -> [String] {
    let played = try Played("scenario(\"it\", function()\n\(body)\nend)\n", flow: flow)
    var told: [String] = []
    for record in played.records {
      told.append(record.status.rawValue)
      if let problem = record.problem {
        told.append(problem.message)
        told += problem.mismatches.map { "\($0.path): \($0.expected), not \($0.found)" }
      }
    }
    return told
  }

  @Test(
    "expect.migrates migrates the state of an earlier version, with its states' timers",
    arguments: [
      """
      expect.migrates {
        version = 1, from = { euros = 2.5, order = "new" }, to = { cents = 250, order = "open" },
        timers = { expire = "3d", tick = 60 },
      }
      """,
      "expect.migrates { from = { cents = 7, order = \"new\" }, to = { cents = 7 } }",
      "expect.migrates { version = 1, from = {}, to = { cents = 0, order = \"empty\" }, timers = {} }",
      "expect.migrates { version = 1, from = { list = { \"a\" } }, to = { list = { \"a\" } } }",
      "expect.migrates { version = 2, from = { order = \"late\" }, timers = {} }",
    ])
  func fits(body: String) throws {
    #expect(try run(body) == ["passed"])
  }

  @Test("expect.migrates leaves the scenario's own host unchanged")
  func beside() throws {
    #expect(
      try run(
        """
        pass.place()
        expect.migrates { version = 1, from = { euros = 2.5, order = "late" }, to = { cents = 250 } }
        expect { cents = 0, order = "open" }
        expect.change { order = "open" }
        """) == ["passed"])
  }

  @Test("another result of the migration fails the scenario with the differences")
  func differs() throws {
    #expect(
      try run(
        """
        expect.migrates {
          version = 1, from = { euros = 2.5, order = "new" }, to = { cents = 2 }, timers = { expire = 5 },
        }
        """) == [
          "failed", "the state of version 1 is not migrated as expected",
          "cents: 2, not 250", "timers.expire: 5, not 259200", "timers.tick: no value, not 60",
        ])
  }

  @Test(
    "a state that does not fit fails the scenario with the reason",
    arguments: [
      ("{ version = 1, from = { euros = 20, order = \"new\" } }", "too many cents"),
      ("{ version = 1, from = { order = \"gone\" } }", "gone, a state that was removed"),
      ("{ version = 1, from = { dollars = 1 } }", "dollars"),
      ("{ version = 1, from = { cents = \"x\" } }", "cents"),
    ])
  func unfit(asked: String, complaint: String) throws {
    let told = try run("expect.migrates " + asked)
    #expect(told.first == "failed")
    #expect(told.last?.contains("does not fit: ") == true && told.last?.contains(complaint) == true)
  }

  @Test(
    "a wrong use of expect.migrates is an error that shows its form",
    arguments: [
      ("{ version = 3, from = {} }", "version must be before 3, the version of this flow, not 3"),
      (
        "{ version = \"1\", from = {} }", "version must be the number of the earlier version"
      ),
      ("{ version = 1 }", "needs the state of the earlier version"),
      ("{ form = {} }", "expect.migrates has no form; did you mean from?"),
      ("{ from = {}, timers = 3 }", "timers must say when actions are due then"),
      ("{ from = {}, timers = { expire = \"soon\" } }", "timers.expire takes"),
      ("{ from = {}, to = { cent = 1 } }", "cents"),
    ])
  func misuse(asked: String, complaint: String) throws {
    let told = try run("expect.migrates " + asked)
    #expect(told.first == "broken")
    #expect(told.contains { $0.contains(complaint) }, "\(told)")
  }

  @Test("a flow without a version has no earlier version")
  func first() throws {
    let told = try run("expect.migrates { from = {} }", flow: "state { n = 0 } action.a {}")
    #expect(told.contains { $0.contains("needs a flow of a later version") })
  }
}
