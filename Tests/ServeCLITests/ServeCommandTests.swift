#if Server
  import FlowKernel
  import FlowServer
  import Foundation
  import HTTPTasks
  import HTTPTesting
  import Testing

  @testable import ServeCLI

  /// The arguments of `moonlatch serve`.
  @Suite struct ServeCommandTests {
    @Test(
      "a lease is a duration from a second to an hour",
      arguments: [
        ("1", Duration.seconds(1)), ("5s", .seconds(5)), ("1m30s", .seconds(90)),
        ("1h", .seconds(3_600)), ("1500ms", .milliseconds(1_500)),
      ])
    func lease(text: String, lease: Duration) throws {
      #expect(try ServeCommand.parse(["a.lua", "--lease", text]).lease == lease)
      #expect(try ServeCommand.parse(["a.lua"]).lease == nil)
    }

    @Test(
      "another lease is an error with the valid range",
      arguments: ["0", "0.5s", "999ms", "1h1s", "-5s", "soon", "5 s", "1e3", "nan", "inf"])
    func wrongLease(text: String) throws {
      let error = #expect(throws: (any Error).self) {
        try ServeCommand.parse(["a.lua", "--lease=\(text)"])
      }
      let told = ServeCommand.message(for: try #require(error))
      #expect(told.contains("--lease"), "\(told)")
      #expect(told.contains("a duration from 1s to 1h, such as 5s or 1m30s"), "\(told)")
    }

    @Test(
      "a flow that calls a capability without a provider exits with 2 and creates no journal")
    func nobodyProvides() throws {
      let folder = try ServedFolder()
      try folder.write(
        "state {}\naction.go {}\nfunction effect.go(self) self:mail(1) end", to: "order.lua")
      let ran = try ServerProcess.run(["serve", "order.lua", "--port", "0"], in: folder)
      #expect(ran.code == 2)
      #expect(
        ran.errors == """
          order.lua calls capabilities that nobody provides:
            root.mail    order.lua:3
          Provide it in order.host.lua, or start with --missing wait: durable effects then wait for it, plain ones fail.

          """)
      #expect(try folder.names == ["order.lua"])
    }

    @Test("--missing is refuse, unless wait is given")
    func missing() throws {
      #expect(try ServeCommand.parse(["a.lua"]).missing == .refuse)
      #expect(try ServeCommand.parse(["a.lua", "--missing", "wait"]).missing == .wait)
      #expect(throws: (any Error).self) {
        try ServeCommand.parse(["a.lua", "--missing", "ignore"])
      }
    }

    @Test("--max-polls is 10,000 unless another number is given, and at least 1")
    func maxPolls() throws {
      #expect(try ServeCommand.parse(["a.lua"]).maxPolls == 10_000)
      #expect(try ServeCommand.parse(["a.lua", "--max-polls", "7"]).maxPolls == 7)
      #expect(ServeCommand.helpMessage(columns: 200).contains("--max-polls <max-polls>"))
      for text in ["0", "-1", "many"] {
        let error = #expect(throws: (any Error).self) {
          try ServeCommand.parse(["a.lua", "--max-polls=\(text)"])
        }
        #expect(ServeCommand.message(for: try #require(error)).contains("--max-polls"), "\(text)")
      }
    }

    @Test("more claims than --max-polls says are refused by the server")
    func refusedPolls() async throws {
      let folder = try ServedFolder()
      try folder.write(
        """
        state {}
        action.go {}
        effect.go = { durable = true, run = function(self) self:job() end }
        """, to: "flow.lua")
      try folder.write("provide { job = worker { queue = \"jobs\" } }", to: "flow.host.lua")
      let server = try ServerProcess(
        ["flow.lua", "--journal", "memory", "--max-polls", "1"], in: folder)
      let claim = "{\"queues\":[\"jobs\"],\"wait\":\"20s\"}"
      async let first = server.request("POST", "/tasks/claim", claim)
      var metrics = ""
      while !metrics.contains("\nmoonlatch_polls_waiting 1.0\n") {
        metrics = try await server.request("GET", "/metrics")
      }
      let second = try await server.request("POST", "/tasks/claim", claim)
      #expect(ServerProcess.status(second) == 429)
      #expect(second.contains("1 claim waits at this node (--max-polls)"), "\(second)")
      server.killNow()
      _ = try? await first
    }

    @Test("--max-hooks is 256 unless another number is given, and at least 1")
    func maxHooks() throws {
      #expect(try ServeCommand.parse(["a.lua"]).maxHooks == 256)
      #expect(try ServeCommand.parse(["a.lua", "--max-hooks", "7"]).maxHooks == 7)
      for text in ["0", "-1", "many"] {
        let error = #expect(throws: (any Error).self) {
          try ServeCommand.parse(["a.lua", "--max-hooks=\(text)"])
        }
        #expect(ServeCommand.message(for: try #require(error)).contains("--max-hooks"), "\(text)")
      }
    }

    @Test("--allow-private is off unless it is given")
    func allowPrivate() throws {
      #expect(try !ServeCommand.parse(["a.lua"]).allowPrivate)
      #expect(try ServeCommand.parse(["a.lua", "--allow-private"]).allowPrivate)
    }

    @Test("--allow-commands is off unless it is given, and a server without it runs no commands")
    func allowCommands() throws {
      #expect(try !ServeCommand.parse(["a.lua"]).allowCommands)
      #expect(try ServeCommand.parse(["a.lua", "--allow-commands"]).allowCommands)
      let folder = try ServedFolder()
      try folder.write("state {}\naction.go {}", to: "order.lua")
      try folder.write("\nprovide { free = command { \"/bin/cat\" } }", to: "order.host.lua")
      let ran = try ServerProcess.run(["serve", "order.lua", "--port", "0"], in: folder)
      #expect(ran.code == 2)
      #expect(
        ran.errors == """
          order.host.lua:2: root.free runs a program: command /bin/cat
          Start with --allow-commands if the host file may run programs.

          """)
      #expect(try folder.names == ["order.host.lua", "order.lua"])
    }

    @Test(
      "a server with --allow-commands lists the commands, and runs them", .timeLimit(.minutes(5)))
    func commands() async throws {
      let folder = try ServedFolder()
      try folder.write(
        """
        state { answer = "" }
        action.go { text = string }
        internal.said { text = string }
        effect.go = { durable = true, on_done = "said", run = function(self, a)
          return { text = self:echo(a.text) }
        end }
        function reduce.said(s, a) s.answer = a.text end
        """, to: "flow.lua")
      try folder.write(
        "provide { echo = command { \"printf\", \"%s!\", \"{text}\", args = { \"text\" } } }",
        to: "flow.host.lua")
      let server = try ServerProcess(
        ["flow.lua", "--journal", "memory", "--allow-commands"], in: folder)
      #expect(server.told.contains("root.echo  command printf %s! {text}  flow.host.lua:1\n"))
      _ = try await server.request("POST", "/cases/a", "{}")
      _ = try await server.request("POST", "/cases/a/actions/go", "{\"text\":\"$(id)\"}")
      var state = ""
      while !state.contains("\"answer\":\"$(id)!\"") {
        state = try await server.request("GET", "/cases/a/state")
      }
    }

    /// Returns a run of the server with these arguments, which has not begun.
    private func serving(_ arguments: String...) throws -> Serving {
      let flow = try LoadedFlow(source: "state {}\naction.go {}", name: "a.lua")
      return try Serving(ServeCommand.parse(["a.lua"] + arguments), flow)
    }

    @Test("--allow-private reaches the client of http capabilities")
    func sender() throws {
      #expect(try !serving().sender().allowsPrivate)
      #expect(try serving("--allow-private").sender().allowsPrivate)
    }

    @Test("the limits of the command line reach the server")
    func serverOptions() throws {
      let tokens = APITokens(everything: "0123456789abcdef0123456789abcdef")
      let usual = try serving().serverOptions(tokens)
      #expect(usual.maximumHooks == 256 && usual.maximumConnections == 20_000)
      #expect(!usual.isReadOnly)
      let options = try serving(
        "--max-hooks", "7", "--max-connections", "9", "--read-only"
      ).serverOptions(tokens)
      #expect(options.maximumHooks == 7 && options.maximumConnections == 9)
      #expect(options.isReadOnly)
    }

    @Test(
      "a server with too few file descriptors reports that and does not start",
      arguments: ["serve", "inspect"])
    func fewDescriptors(command: String) throws {
      let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      try Data("action.go {}".utf8).write(to: folder.appending(path: "flow.lua"))
      let process = Process()
      process.executableURL = URL(filePath: "/bin/sh")
      process.currentDirectoryURL = folder
      let tests =
        Bundle.allBundles.map(\.bundleURL).first { $0.pathExtension == "xctest" }
        ?? URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
      let program = tests.deletingLastPathComponent().appending(path: "moonlatch-serve").path
      process.arguments = [
        "-c", "ulimit -n 20; exec \"$0\" \(command) flow.lua --port 0", program,
      ]
      let errors = Pipe()
      process.standardError = errors
      try process.run()
      process.waitUntilExit()
      let told = String(decoding: errors.fileHandleForReading.availableData, as: UTF8.self)
      #expect(process.terminationStatus == 74)
      #expect(told.hasPrefix("moonlatch: at most 20 files"), "\(told)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["flow.lua"])
    }
  }
#endif
