#if Server
  import Foundation
  import Testing

  /// `run --live` and `repl --live`, with real calls of a server on this machine.
  @Suite(.timeLimit(.minutes(10))) struct LiveCommandsTests {
    private let folder: ServedFolder
    private let server: ServerProcess

    init() throws {
      folder = try ServedFolder()
      try folder.write("state {}\naction.go {}", to: "asked.lua")
      server = try ServerProcess(["asked.lua", "--journal", "memory"], in: folder)
      try folder.write(
        """
        state { live = none, id = none, problem = none }
        action.ask {} action.look {} action.mail {}
        internal.asked { live = boolean }
        internal.mailed { id = string }
        internal.failed { error = string }
        function reduce.asked(s, a) s.live = a.live end
        function reduce.mailed(s, a) s.id = a.id end
        function reduce.failed(s, a) s.problem = a.error end
        effect.ask = { durable = true, on_done = "asked", on_error = "failed", run = function(self)
          return { live = self:health().live }
        end }
        effect.look = { on_error = "failed", run = function(self) self:missing() end }
        effect.mail = { on_done = "mailed", run = function(self)
          return { id = self:mail("hello").id }
        end }
        """, to: "flow.lua")
      try folder.write(
        """
        provide {
          health = http { "GET", env.LIVE_SERVER .. "/health/live", result = { live = boolean } },
          missing = http { "GET", env.LIVE_SERVER .. "/nowhere" },
          mail = worker { args = { "text" }, result = { id = string } },
        }
        """, to: "flow.host.lua")
      try folder.write(
        """
        flow "flow.lua"
        scenario("the server lives", { tags = { "live" } }, function()
          pass.ask() settle() expect { live = true }
        end)
        scenario("there is no such page", { tags = { "live" } }, function()
          pass.look() settle() expect { problem = contains("404") }
        end)
        scenario("a stub answers", function()
          stub("root.health", function() return { live = false } end)
          pass.ask() settle() expect { live = false }
        end)
        """, to: "a.scenario.lua")
    }

    /// Returns a process of the program, which has not begun.
    private func process(_ arguments: [String]) -> Process {
      let process = Process()
      process.executableURL = ServerProcess.program
      process.arguments = arguments
      process.currentDirectoryURL = folder.url
      process.environment = ProcessInfo.processInfo.environment.merging(
        ["LIVE_SERVER": server.address, "COLUMNS": "80"]) { $1 }
      return process
    }

    /// Runs the program to its end.
    private func run(
      _ arguments: String..., input: String = ""
    ) throws -> (code: Int32, output: String, errors: String) {
      let process = process(arguments)
      let (given, output, errors) = (Pipe(), Pipe(), Pipe())
      process.standardInput = given
      process.standardOutput = output
      process.standardError = errors
      try process.run()
      try given.fileHandleForWriting.write(contentsOf: Data(input.utf8))
      try given.fileHandleForWriting.close()
      let text = output.fileHandleForReading.readDataToEndOfFile()
      let told = errors.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      return (
        process.terminationStatus, String(decoding: text, as: UTF8.self),
        String(decoding: told, as: UTF8.self)
      )
    }

    @Test("run --live runs live scenarios too, in worker processes and alone")
    func scenarios() throws {
      let all = try run("run", "a.scenario.lua", "--live")
      #expect(all.code == 0, "\(all)")
      #expect(
        all.output == """
          ok    a.scenario.lua:2  the server lives
          ok    a.scenario.lua:5  there is no such page
          ok    a.scenario.lua:8  a stub answers
          3 passed, 0 failed

          """)
      let alone = try run("run", "a.scenario.lua:2", "--live")
      #expect(alone.code == 0 && alone.output.hasSuffix("1 passed, 0 failed\n"), "\(alone)")
    }

    @Test("without --live live scenarios are skipped and counted; without a host file they fail")
    func others() throws {
      let skipped = try run("run", "a.scenario.lua")
      #expect(skipped.code == 0, "\(skipped)")
      #expect(skipped.output.hasSuffix("1 passed, 0 failed, 2 skipped\n"), "\(skipped)")
      let none = try run("run", "a.scenario.lua:2", "--live", "--host-file", "none")
      #expect(none.code == 1, "\(none)")
      #expect(none.output.contains("scope root has no health, and it has no stub"), "\(none)")
      #expect(none.output.contains("again: moonlatch run a.scenario.lua:2 --live"), "\(none)")
    }

    @Test("repl --live makes real calls, and you answer for workers")
    func prompt() throws {
      let ran = try run(
        "repl", "flow.lua", "--live",
        input: "ask()\ns.live\nlook()\nmail()\n:tasks\n:complete 1 { id = \"m-1\" }\ns.id\n")
      #expect(ran.code == 0, "\(ran)")
      for part in [
        "#2 asked (by #1)", "\ntrue\n", "404", "\n1  root.mail { text = \"hello\" }\n",
      ] { #expect(ran.output.contains(part), "\(part): \(ran)") }
      #expect(ran.output.hasSuffix("\n\"m-1\"\n"), "\(ran)")
    }

    @Test("repl --live makes the calls of a stored case too")
    func stored() throws {
      let asked = try run(
        "repl", "flow.lua", "--live", "--journal", "j.journal", input: "ask()\n:tasks\n")
      #expect(asked.code == 0 && asked.output.hasSuffix("\nno task is open\n"), "\(asked)")
      let later = try run("repl", "flow.lua", "--journal", "j.journal", input: "s.live\n")
      #expect(later.output.hasSuffix("\ntrue\n"), "\(later)")
    }

    /// Writes a flow whose host file has commands, and its live scenarios.
    private func writeCommands() throws {
      try folder.write(
        """
        state { said = "" }
        action.say { text = string } action.nap {}
        internal.said { text = string }
        function reduce.said(s, a) s.said = a.text end
        effect.say = { on_done = "said", run = function(self, a)
          return { text = self:echo(a.text) }
        end }
        function effect.nap(self) self:nap() end
        """, to: "said.lua")
      try folder.write(
        """
        provide {
          echo = command { "printf", "%s!", "{text}", args = { "text" } },
          nap = command { "sh", "-c", "echo $$ >process; exec sleep 600" },
        }
        """, to: "said.host.lua")
      try folder.write(
        """
        flow "said.lua"
        scenario("it is said", { tags = { "live" } }, function()
          pass.say { text = "$(id)" } settle() expect { said = "$(id)!" }
        end)
        scenario("it naps", { tags = { "live" } }, function() pass.nap() settle() end)
        scenario("nothing is said", function() expect { said = "" } end)
        """, to: "b.scenario.lua")
    }

    private static let notAllowed = """
      said.host.lua:2: root.echo runs a program: command printf %s! {text}
      said.host.lua:3: root.nap runs a program: command sh -c "echo $$ >process; exec sleep 600"
      Start with --allow-commands if the host file may run programs.

      """

    @Test("run --live with --allow-commands runs commands; without it their file is not loaded")
    func commands() throws {
      try writeCommands()
      let said = try run("run", "b.scenario.lua:2", "--live", "--allow-commands")
      #expect(said.code == 0 && said.output.hasSuffix("1 passed, 0 failed\n"), "\(said)")
      let refused = try run("run", "b.scenario.lua:2", "--live")
      #expect(refused.code == 2, "\(refused)")
      for line in Self.notAllowed.split(separator: "\n") {
        #expect(refused.output.contains(line), "\(refused)")
      }
      let other = try run("run", "b.scenario.lua:6", "--live")
      #expect(other.code == 0, "\(other)")
    }

    @Test("a worker process that takes too long leaves none of its programs behind")
    func killed() throws {
      try writeCommands()
      let ran = try run(
        "run", "b.scenario.lua:5", "--live", "--allow-commands", "--timeout", "3s")
      #expect(ran.output.contains("it took longer than"), "\(ran)")
      let number = try #require(napping)
      #expect(kill(number, 0) == -1)
    }

    @Test("a signal that ends the prompt ends its programs first")
    func signalled() async throws {
      try writeCommands()
      let prompt = process(["repl", "said.lua", "--live", "--allow-commands"])
      let given = Pipe()
      prompt.standardInput = given
      prompt.standardOutput = Pipe()
      try prompt.run()
      try given.fileHandleForWriting.write(contentsOf: Data("nap()\n".utf8))
      while napping == nil { try await Task.sleep(for: .milliseconds(20)) }
      prompt.terminate()
      prompt.waitUntilExit()
      #expect(prompt.terminationReason == .uncaughtSignal && prompt.terminationStatus == SIGTERM)
      let number = try #require(napping)
      #expect(kill(number, 0) == -1)
    }

    /// The number of the process of the command `nap`; nil before it has begun.
    private var napping: Int32? {
      let text = try? String(contentsOf: folder.url.appending(path: "process"), encoding: .utf8)
      return text.flatMap { Int32($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
    }

    @Test("repl --live with --allow-commands runs commands; without it the prompt does not open")
    func commandsAtThePrompt() throws {
      try writeCommands()
      let said = try run(
        "repl", "said.lua", "--live", "--allow-commands", input: "say { text = \"a\" }\ns.said\n")
      #expect(said.code == 0 && said.output.hasSuffix("\n\"a!\"\n"), "\(said)")
      let refused = try run("repl", "said.lua", "--live", "--journal", "k.journal")
      #expect(refused.code == 2 && refused.output.isEmpty, "\(refused)")
      #expect(refused.errors == Self.notAllowed)
      #expect(try !folder.names.contains("k.journal"))
    }

    @Test("repl --live without a host file is an error, unless it is to have none")
    func noHostFile() throws {
      try folder.write("state { n = 0 }", to: "bare.lua")
      let missing = try run("repl", "bare.lua", "--live")
      #expect(missing.code == 64, "\(missing)")
      #expect(missing.errors.contains("there is none beside bare.lua"), "\(missing)")
      #expect(try run("repl", "bare.lua", "--live", "--host-file", "none").code == 0)
    }
  }
#endif
