import FlowLanguage

#if Server
  import ArgumentParser
  import FlowCases
  import FlowKernel
  import FlowServer
  import HTTPTasks
  import HostFiles
  import Hummingbird
  import LuaRuntime
  import MoonlatchCLI
  import Platform
  import SharedCommands

  /// The root command of `moonlatch-serve`.
  @main
  struct MoonlatchServe: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "moonlatch-serve",
      abstract:
        "Serves the cases of a flow over HTTP, makes real calls, and reads journals in PostgreSQL.",
      version: Release.text,
      subcommands: LiveCommands.beside([
        ServeCommand.self, InspectCommand.self, JournalCommand.self,
      ]))

    /// Runs the command and ends the process with its exit code.
    ///
    /// It begins on the main thread, where live commands stay: they wait for answers, and a thread of the pool that
    /// waits would delay them.
    @MainActor static func main() async {
      StandardStreams.openClosed()
      LuaVM.giveBackLargeBlocks()
      UnfinishedFile.removeOnSignals()
      do {
        if LiveCommands.areNamed(by: CommandLine.arguments) {
          try await runLiveCommand()
        } else {
          try await runOtherCommand()
        }
      } catch {
        end(with: error)
      }
    }

    /// Runs `run` or `repl`, whose real calls this program makes.
    ///
    /// No program that it has started outlives it.
    @MainActor private static func runLiveCommand() async throws {
      let commands = LiveRunner()
      let client = LiveClient(
        sender: { HTTPTaskSender(allowsPrivate: $0) }, runner: { commands.runner() })
      let result = Result {
        try LiveClient.$current.withValue(client) {
          try LiveCommands.run {
            var command = try parseAsRoot()
            try command.run()
          }
        }
      }
      await commands.close()
      try result.get()
    }

    private static func runOtherCommand() async throws {
      var command = try parseAsRoot()
      if var command = command as? any AsyncParsableCommand { return try await command.run() }
      try Watchdog.watch {
        let databases = NamedJournal.Databases(open: StoreLocation.openToRead)
        try NamedJournal.$databases.withValue(databases) {
          try command.run()
        }
      }
    }
  }

  /// The command `serve`, which serves the cases of a flow over HTTP.
  struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "serve", abstract: "Serves the cases of a flow over HTTP.",
      discussion: """
        Cases are stored in a journal beside the flow, FLOW.journal, or in that of --journal. Examples with curl and \
        the token are printed. Capabilities are performed by workers, as the host file says: NAME.host.lua beside \
        NAME.lua, or that of --host-file. A flow that calls what nobody provides is not served, unless --missing wait \
        is given: durable effects then wait for it, plain ones fail.

        EXAMPLES:
          moonlatch serve order.lua
          moonlatch serve order.lua --journal orders.db --port 9000
          moonlatch serve order.lua --host 0.0.0.0 --name orders.example.org --token-file tokens
          moonlatch serve order.lua --openapi >order.json
        """)

    @Argument(help: "The flow.", completion: .file(extensions: ["lua", "scxml"]))
    var flow: String
    @Option(help: "The journal: a file, postgresql://…, or \"memory\" for none.")
    var journal: String?
    @Option(
      help: "The file that names the performers of capabilities, or \"none\".", completion: .file())
    var hostFile: String?
    @Option(
      help: "If a called capability has no provider: refuse to start, or let durable effects wait.")
    var missing = MissingPolicy.refuse
    @Flag(help: "Let http capabilities reach private addresses, such as those of a cluster.")
    var allowPrivate = false
    @Flag(help: "Let command capabilities of the host file run programs on this machine.")
    var allowCommands = false
    @Flag(help: "Accept the journal of a flow of another name.")
    var adopt = false
    @Flag(help: "Faster answers, which survive a crash of the process but not a power cut.")
    var quick = false
    @Option(help: "The address to listen on; any other than 127.0.0.1 needs --token-file.")
    var host = "127.0.0.1"
    @Option(help: "The port; 0 for any free port.")
    var port = 8080
    @Option(
      help: "Another host name of the server, with its port unless it is the default (repeatable)."
    )
    var name: [String] = []
    @Option(
      help: "A file with a token per line, its user, and what the user may do.", completion: .file()
    )
    var tokenFile: String?
    @Option(
      help:
        "A header that names who dispatches an action; a proxy before this server must set it.")
    var trustHeader: String?
    @Option(
      help:
        "In a database, the time until other nodes take the cases of a node that died: 1s to 1h. Default: 20s.",
      transform: ServeCommand.lease)
    var lease: Duration?
    @Option(help: "The maximum number of open connections.")
    var maxConnections = 20_000
    @Option(help: "The maximum number of claims that wait for tasks at this node.")
    var maxPolls = 10_000
    @Option(help: "The maximum number of requests to webhooks that are handled at once.")
    var maxHooks = 256
    @Flag(help: "Open the journal read-only.")
    var readOnly = false
    @Option(help: "The log level: trace, debug, info, notice, warning, error.")
    var logLevel = "notice"
    @Flag(help: "Log as JSON lines.")
    var jsonLogs = false
    @Flag(name: .customLong("openapi"), help: "Print the OpenAPI document and exit.")
    var printsDocument = false

    @OptionGroup var limiting: LimitOptions

    func validate() throws {
      if host != "127.0.0.1", host != "localhost", host != "::1", tokenFile == nil {
        throw ValidationError(
          "--host \(host) can be reached from other machines: list the users with --token-file.")
      }
      guard (0...65_535).contains(port) else {
        throw ValidationError("--port must be from 0 to 65535.")
      }
      guard maxConnections > 0 else {
        throw ValidationError("--max-connections must be at least 1.")
      }
      guard maxPolls > 0 else { throw ValidationError("--max-polls must be at least 1.") }
      guard maxHooks > 0 else { throw ValidationError("--max-hooks must be at least 1.") }
    }

    private static func lease(_ argument: String) throws -> Duration {
      guard let lease = TimeSpan(argument: argument)?.duration,
        (.seconds(1)...(.seconds(3_600))).contains(lease)
      else {
        throw ValidationError("a lease must be a duration from 1s to 1h, such as 5s or 1m30s.")
      }
      return lease
    }

    mutating func run() async throws {
      do {
        let (file, limits) = (URL(filePath: flow), limiting.limits)
        let loaded = try await withTaskExecutorPreference(WorkerThreads(limit: 1)) {
          try LoadedFlow(file, limits: limits)
        }
        if printsDocument {
          Terminal.writeOutput(OpenAPI.text(of: loaded) + "\n")
          return
        }
        try await Serving(self, loaded).run()
      } catch let error as FlowError {
        Terminal.writeError(error.report + "\n")
        throw ExitCode(2)
      } catch let error as CommandsNotAllowed {
        Terminal.writeError("\(error)\n")
        throw ExitCode(2)
      } catch let error as UnprovidedCalls {
        Terminal.writeError("\(error)\n")
        throw ExitCode(2)
      } catch let error as ExitCode {
        throw error
      } catch let error as any SystemRefusal {
        throw error
      } catch {
        Terminal.writeError("moonlatch serve: \(error)\n")
        throw ExitCode(1)
      }
    }
  }
#else
  import StateBlocks

  @main
  struct MoonlatchServe {
    static func main() {
      Terminal.writeError(
        "moonlatch-serve was built without the trait Server: swift build --traits default,Server,PostgreSQL\n"
      )
    }
  }
#endif
