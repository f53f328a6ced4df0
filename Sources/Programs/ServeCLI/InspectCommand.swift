import FlowLanguage

#if Server
  import ArgumentParser
  import FlowCases
  import FlowInspector
  import FlowKernel
  import FlowServer
  import HostFiles
  import Logging
  import MoonlatchInspector
  import Platform
  import ServiceLifecycle
  import SharedCommands

  /// The command `inspect`, which shows in the browser what a flow does.
  struct InspectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "inspect", abstract: "Opens the inspector of a flow for the browser.",
      discussion: """
        Prints an address with a token: open it in a browser. Without --journal a case of the flow is created in \
        memory. With a journal its cases are shown, stuck ones first. Nobody performs capabilities here: a call of one \
        that the host file names (NAME.host.lua beside NAME.lua, or --host-file) opens a task, which waits in the \
        journal for moonlatch serve; without a host file an effect that calls one fails and reports which.

        EXAMPLES:
          moonlatch inspect order.lua
          moonlatch inspect order.lua --journal orders.db --read-only
        """)

    @Argument(help: "The flow.", completion: .file(extensions: ["lua", "scxml"]))
    var flow: String
    @Option(help: "The journal: a file, or postgresql://….")
    var journal: String?
    @Option(
      help: "The file that names the performers of capabilities, or \"none\".", completion: .file())
    var hostFile: String?
    @Option(help: "The port; 0 for any free port.")
    var port = 0
    @Flag(help: "Open the journal read-only.")
    var readOnly = false

    @OptionGroup var limiting: LimitOptions

    func validate() throws {
      guard (0...65_535).contains(port) else {
        throw ValidationError("--port must be from 0 to 65535.")
      }
    }

    mutating func run() async throws {
      do {
        let (file, limits) = (URL(filePath: flow), limiting.limits)
        let loaded = try await withTaskExecutorPreference(WorkerThreads(limit: 1)) {
          try LoadedFlow(file, limits: limits)
        }
        try await inspect(loaded)
      } catch let error as FlowError {
        Terminal.writeError(error.report + "\n")
        throw ExitCode(2)
      } catch let error as ExitCode {
        throw error
      } catch let error as any SystemRefusal {
        throw error
      } catch {
        Terminal.writeError("moonlatch inspect: \(error)\n")
        throw ExitCode(1)
      }
    }

    private func inspect(_ loaded: LoadedFlow) async throws {
      try Descriptors.raise(to: 1_024)
      // This reads files, and may wait for a database.
      let (capabilities, place) = try await withTaskExecutorPreference(WorkerThreads(limit: 1)) {
        let capabilities = try self.capabilities(of: loaded)
        let place =
          try journal.map { try StoreLocation.open($0, isReadOnly: readOnly) } ?? .memory()
        return (capabilities, place)
      }
      var options = HostOptions(limits: loaded.limits)
      options.print = { Terminal.writeOutput($0 + "\n") }
      options.report = { Terminal.writeError("\($0)\n") }
      options.keepsRefusals = true
      // A read-only inspector must not wake cases for due timers either.
      if readOnly { options.clock = .virtual }
      let cases = try await Cases(of: loaded, in: place.journal, options: options) {
        capabilities?.provide(to: &$0)
      }
      let only = try await createFirstCase(cases)
      let news = Task { [readOnly] in
        // Another process may write the journal that is only read here.
        while readOnly, !Task.isCancelled {
          try await Task.sleep(for: .seconds(1))
          cases.lookForNews()
        }
      }
      defer { news.cancel() }
      let token = APITokens.random()
      let service = HTTPService(
        InspectorServer.options(port: port, token: token, isReadOnly: readOnly),
        logger: Logger(label: "moonlatch.inspect") { _ in SwiftLogNoOpLogHandler() })
      InspectorRoutes.mount(
        Inspection(InspectedCases(cases), isReadOnly: readOnly), on: service)
      let group = ServiceGroup(
        configuration: .init(
          services: [
            KeptCasesService(cases: cases),
            InspectingService(service: service) { port in
              var address = InspectorServer.url(port: port, token: token)
              if let only {
                let name = only.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed)
                address += "&case=\(name ?? only)"
              }
              Terminal.writeOutput(
                "\(loaded.name) is inspected at \(address)\ncases are stored \(place.text)\n"
                  + (capabilities == nil
                    ? "" : "calls of capabilities wait: nobody performs them here\n"))
            },
          ],
          gracefulShutdownSignals: [.sigterm, .sigint],
          logger: Logger(label: "moonlatch.inspect") { _ in SwiftLogNoOpLogHandler() }))
      let deadline = ShutdownDeadline()
      defer { withExtendedLifetime(deadline) {} }
      try await group.run()
    }

    /// Returns the capabilities of the host file, whose tasks nobody performs here; nil without a host file.
    ///
    /// So the file needs neither the environment of the server nor its secrets.
    private func capabilities(of loaded: LoadedFlow) throws -> ServedCapabilities? {
      let choice = HostFileChoice(option: hostFile)
      guard choice.url(for: URL(filePath: flow)) != nil else { return nil }
      return try ServedCapabilities(of: loaded, at: flow, choice, .wait, reading: .names)
    }

    /// Creates a case named after the flow if there is no journal.
    private func createFirstCase(_ cases: Cases) async throws -> String? {
      if journal != nil { return nil }
      let id = FlowFile.stem(of: flow)
      try await cases.create(id)
      return id
    }
  }

  private struct InspectingService: Service {
    let service: HTTPService
    let tell: @Sendable (Int) -> Void
    func run() async throws { try await service.run { tell($0) } }
  }
#endif
