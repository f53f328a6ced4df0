import FlowLanguage

#if Server
  import FlowCases
  import FlowKernel
  import HostFiles
  import Logging
  import ServiceLifecycle
  import UnixSignals

  /// A service that reads the host file again at each SIGHUP.
  ///
  /// If the file cannot be read, or has a fault, the current one stays in use.
  struct HostFileReloading: Service {
    let inUse: HostFileInUse
    let cases: Cases
    let logger: Logger

    func run() async throws {
      let signals = await UnixSignalsSequence(trapping: .sighup)
      for await _ in signals.cancelOnGracefulShutdown() { await reload() }
    }

    func reload() async {
      let name = inUse.file.file.lastPathComponent
      do {
        try inUse.reload()
        try await cases.tasks.use(inUse.file.tasks)
        logger.notice("the host file was reloaded", metadata: ["file": "\(name)"])
      } catch {
        logger.error(
          "the host file was not reloaded: it has a fault",
          metadata: ["why": "\(error)", "file": "\(name)"])
      }
    }
  }
#endif
