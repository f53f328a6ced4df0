import FlowLanguage

#if Server
  import ArgumentParser
  import FlowCases
  import FlowKernel
  import FlowServer
  import Hummingbird
  import LuaRuntime
  import Platform
  import SharedCommands

  /// The root command of `moonlatch-serve`.
  @main
  struct MoonlatchServe: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "moonlatch-serve",
      abstract: "Serves the cases of a flow over HTTP, and looks at journals in PostgreSQL.",
      version: Release.text,
      subcommands: [ServeCommand.self, InspectCommand.self, JournalCommand.self])

    /// Runs the command and ends the process with its exit code.
    static func main() async {
      StandardStreams.openClosed()
      LuaVM.giveBackLargeBlocks()
      UnfinishedFile.removeOnSignals()
      do {
        var command = try parseAsRoot()
        if var command = command as? any AsyncParsableCommand { return try await command.run() }
        try Watchdog.watch {
          let databases = NamedJournal.Databases(open: StoreLocation.openToRead)
          try NamedJournal.$databases.withValue(databases) {
            try command.run()
          }
        }
      } catch {
        end(with: error)
      }
    }
  }

  /// The command `serve`, which serves the cases of a flow over HTTP.
  struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "serve", abstract: "Serves the cases of a flow over HTTP.",
      discussion: """
        Cases are kept in a journal beside the flow, FLOW.journal, unless --journal names another. It is said what to \
        curl, and with which token. Functions that the flow's scopes are lent by a host are not there: an effect that \
        calls one fails and says which.

        EXAMPLES:
          moonlatch serve order.lua
          moonlatch serve order.lua --journal orders.db --port 9000
          moonlatch serve order.lua --host 0.0.0.0 --name orders.example.org --token-file tokens
          moonlatch serve order.lua --openapi >order.json
        """)

    @Argument(help: "The flow.", completion: .file(extensions: ["lua", "scxml"]))
    var flow: String
    @Option(help: "The file in which cases are kept, postgresql://…, or \"memory\" for none.")
    var journal: String?
    @Flag(help: "Takes over a journal that was kept for a flow of another name.")
    var adopt = false
    @Flag(help: "Answers what survives the process, not a power cut.")
    var quick = false
    @Option(help: "The address to listen at; another than 127.0.0.1 needs --token-file.")
    var host = "127.0.0.1"
    @Option(help: "The port; 0 for any that is free.")
    var port = 8080
    @Option(
      help: "A name, and a port unless it is usual, by which the server is called too (repeatable)."
    )
    var name: [String] = []
    @Option(
      help: "A file with a token a line, who that is, and what they may do.", completion: .file())
    var tokenFile: String?
    @Option(
      help:
        "A header that says who offers an action: to be set by whoever stands before this server.")
    var trustHeader: String?
    @Option(
      help:
        "How long the cases of a node that dies are nobody's, in a database: from 1s to 1h, 20s unless it is said.",
      transform: ServeCommand.lease)
    var lease: Duration?
    @Option(help: "How many connections are open at most.")
    var maxConnections = 20_000
    @Flag(help: "Changes nothing.")
    var readOnly = false
    @Option(help: "How much is logged: trace, debug, info, notice, warning, error.")
    var logLevel = "notice"
    @Flag(help: "Logs a line of JSON each.")
    var jsonLogs = false
    @Flag(name: .customLong("openapi"), help: "Prints the OpenAPI document, and serves nothing.")
    var printsDocument = false

    @OptionGroup var limiting: LimitOptions

    func validate() throws {
      if host != "127.0.0.1", host != "localhost", host != "::1", tokenFile == nil {
        throw ValidationError(
          "--host \(host) can be reached by others: name who may do what with --token-file.")
      }
      guard (0...65_535).contains(port) else { throw ValidationError("--port is from 0 to 65535.") }
      guard maxConnections > 0 else { throw ValidationError("--max-connections is at least 1.") }
    }

    private static func lease(_ argument: String) throws -> Duration {
      guard let lease = TimeSpan(argument: argument)?.duration,
        (.seconds(1)...(.seconds(3_600))).contains(lease)
      else {
        throw ValidationError("a lease is a length of time from 1s to 1h, such as 5s or 1m30s.")
      }
      return lease
    }

    mutating func run() async throws {
      do {
        let loaded = try LoadedFlow(URL(filePath: flow), limits: limiting.limits)
        if printsDocument {
          Terminal.writeOutput(OpenAPI.text(of: loaded) + "\n")
          return
        }
        try await Serving(self, loaded).run()
      } catch let error as FlowError {
        Terminal.writeError(error.report + "\n")
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
