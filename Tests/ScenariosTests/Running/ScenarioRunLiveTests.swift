import HostFiles
import Platform
import Testing

@testable import Scenarios

/// Scenarios with the tag `live`, which make real calls.
@Suite(.timeLimit(.minutes(5))) struct ScenarioRunLiveTests {
  private static let flow = """
    state { receipt = none, problem = none, at = none, rung = 0 }
    action.pay {}
    action.mail {}
    action.ring {}
    internal.paid { receipt = string }
    internal.failed { error = string }
    function reduce.paid(s, a) s.receipt = a.receipt s.at = now() end
    function reduce.failed(s, a) s.problem = a.error end
    function reduce.ring(s) s.rung = s.rung + 1 end
    effect.pay = { on_done = "paid", on_error = "failed", run = function(self)
      return { receipt = retry({ times = 3, wait = 1 }, function() return self:charge(5).id end) }
    end }
    function effect.mail(self) self:mail("hello") end
    """

  private static let host = """
    provide {
      charge = http { "POST", "https://bank.example/charges", args = { "cents" }, result = { id = string } },
      slow = http { "POST", "https://bank.example/slow", callback = "1h" },
      mail = worker { args = { "text" } },
    }
    """

  /// Returns the verdict on a scenario with this body; a run without a client is one without `--live`.
  private func verdict(
    of body: String, tags: String = "\"live\"", host: String = ScenarioRunLiveTests.host,
    settings: LiveSettings = LiveSettings(), _ bank: BankSender?
  ) async throws -> String {
    let folder = try TemporaryFolder()
    try folder.write(ScenarioRunLiveTests.flow, to: "flow.lua")
    try folder.write(host, to: "flow.host.lua")
    try folder.write(
      "flow \"flow.lua\"\nscenario(\"it\", { tags = { \(tags) } }, function()\n\(body)\nend)",
      to: "a.scenario.lua")
    // The run blocks its thread.
    return await withTaskExecutorPreference(WorkerThreads(limit: 1)) {
      ScenarioRunLiveTests.play(folder, settings, bank)
    }
  }

  private static func play(
    _ folder: TemporaryFolder, _ settings: LiveSettings, _ bank: BankSender?
  ) -> String {
    let client = bank.map { bank in LiveClient(sender: { _ in bank }, runner: { EchoRunner() }) }
    return LiveClient.$current.withValue(client) {
      Played(folder.select("a.scenario.lua"), live: bank == nil ? nil : settings)
        .verdicts.joined(separator: "; ")
    }
  }

  @Test("without --live a scenario with the tag live is skipped, and the reason names the option")
  func skipped() async throws {
    #expect(
      try await verdict(of: "pass.pay()", nil)
        == "skip it: tag live: --live makes its real calls")
    #expect(try await verdict(of: "pass.ring()", tags: "\"other\"", nil) == "ok it")
  }

  @Test("settle waits for the answer of a real call, and the flow's time stands still meanwhile")
  func settled() async throws {
    let bank = BankSender(200)
    let body = "pass.pay() settle() expect { receipt = \"r-1\", at = 0 } expect.effects.none()"
    #expect(try await verdict(of: body, bank) == "ok it")
    #expect(bank.sent == 1)
  }

  @Test("advance waits for open calls before time goes on, from one timer to the next")
  func advanced() async throws {
    let first = "pass.pay() advance(10) expect { receipt = \"r-1\", at = 0 }"
    #expect(try await verdict(of: first, BankSender(200)) == "ok it")
    // Each further try begins when its timer fires, and has its answer before time goes on.
    let busy = BankSender(503)
    let tries = "pass.pay() advance(100) expect { problem = contains(\"503\") }"
    #expect(try await verdict(of: tries, busy) == "ok it")
    #expect(busy.sent == 3)
  }

  @Test("a final failure of a call ends its retry")
  func final() async throws {
    let bank = BankSender(402, "\"card\"")
    #expect(
      try await verdict(
        of: "pass.pay() settle() expect { problem = contains(\"402\"), receipt = none }", bank)
        == "ok it")
    #expect(bank.sent == 1)
  }

  @Test("a stub wins over the host file, and no request is sent")
  func stubbed() async throws {
    let bank = BankSender(200)
    let body = """
      stub("root.charge", function() return { id = "stubbed" } end)
      stub("root.mail", function() end)
      pass.pay() pass.mail() settle() expect { receipt = "stubbed" }
      """
    #expect(try await verdict(of: body, bank) == "ok it")
    #expect(bank.sent == 0)
  }

  @Test("a capability of workers without a stub fails the scenario at its call")
  func worker() async throws {
    let verdict = try await verdict(of: "pass.mail() settle()", BankSender(200))
    #expect(
      verdict.contains("root.mail is performed by workers, and there are none here: stub it"),
      "\(verdict)")
  }

  @Test("a call that an operator would have to mend fails the scenario where it waits")
  func dead() async throws {
    let verdict = try await verdict(of: "pass.pay() settle()", BankSender(401))
    #expect(verdict.hasPrefix("ERROR a.scenario.lua:3: "), "\(verdict)")
    #expect(verdict.contains("root.charge was not performed: "), "\(verdict)")
  }

  @Test("a scenario without the tag has no host file, with --live too")
  func others() async throws {
    let bank = BankSender(200)
    let verdict = try await verdict(of: "pass.pay() settle()", tags: "\"other\"", bank)
    #expect(verdict.contains("scope root has no charge, and it has no stub"), "\(verdict)")
    #expect(bank.sent == 0)
  }

  @Test("a call that is open at the end of the scenario is cancelled")
  func cancelled() async throws {
    let bank = BankSender(nil)
    #expect(try await verdict(of: "pass.pay()", bank) == "ok it")
    while bank.interrupted < bank.sent { try await Task.sleep(for: .milliseconds(2)) }
  }

  private static let commands = """

    provide { charge = command { "/bin/cat", "--", "{cents}", args = { "cents" } } }
    """

  @Test("a command runs if commands are allowed, and its result is that of the call")
  func command() async throws {
    let host = ScenarioRunLiveTests.commands.replacing("/bin/cat\"", with: "/bin/cat\", \"r-1\"")
      .replacing("args =", with: "result = { id = string }, args =")
    let verdict = try await verdict(
      of: "pass.pay() settle() expect { receipt = \"r-1\", at = 0 }", host: host,
      settings: LiveSettings(allowsCommands: true), BankSender(200))
    #expect(verdict == "ok it")
  }

  @Test(
    "a host file with commands makes the scenario file unloadable, unless they are allowed; other scenarios do not need it"
  )
  func commandsNotAllowed() async throws {
    let host = ScenarioRunLiveTests.commands
    let verdict = try await verdict(of: "pass.pay()", host: host, BankSender(200))
    #expect(
      verdict == """
        UNLOADABLE a.scenario.lua | flow.host.lua:2: root.charge runs a program: command /bin/cat -- {cents}
        Start with --allow-commands if the host file may run programs.
        """)
    let other = try await self.verdict(
      of: "pass.ring()", tags: "\"other\"", host: host, BankSender(200))
    #expect(other == "ok it")
  }

  @Test("a host file with faults makes the scenario file unloadable")
  func faults() async throws {
    let verdict = try await verdict(
      of: "pass.pay()", host: "provide.user { charge = worker {} }", BankSender(200))
    #expect(verdict.hasPrefix("UNLOADABLE a.scenario.lua | "), "\(verdict)")
    #expect(verdict.contains("flow.lua declares no scope user"), "\(verdict)")
  }
}
