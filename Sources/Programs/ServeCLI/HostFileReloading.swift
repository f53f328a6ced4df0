import FlowLanguage

#if Server
  import FlowCases
  import FlowKernel
  import HostFiles
  import Logging
  import Platform
  import ServiceLifecycle
  import UnixSignals

  /// A service that reads the host file again at each SIGHUP.
  ///
  /// If the file cannot be read, has a fault, or lacks what the flow calls, the current one stays in use.
  struct HostFileReloading: Service {
    let capabilities: ServedCapabilities
    /// The name of the file in messages.
    let name: String
    let cases: Cases
    let logger: Logger
    private let threads = WorkerThreads(limit: 1)

    func run() async throws {
      let signals = await UnixSignalsSequence(trapping: .sighup)
      for await _ in signals.cancelOnGracefulShutdown() { await reload() }
    }

    func reload() async {
      do {
        // It reads files and runs Lua.
        try await withTaskExecutorPreference(threads) { try capabilities.reload() }
        try await cases.tasks.use(capabilities.tasks)
        logger.notice("the host file was reloaded", metadata: ["file": "\(name)"])
      } catch {
        logger.error(
          "the host file was not reloaded: it has a fault",
          metadata: ["why": "\(error)", "file": "\(name)"])
      }
    }
  }
#endif
