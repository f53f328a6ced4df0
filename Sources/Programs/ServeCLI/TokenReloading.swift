import FlowLanguage

#if Server
  import FlowServer
  import Logging
  import Platform
  import ServiceLifecycle
  import SharedCommands
  import UnixSignals

  /// A service that reads the token file again at each SIGHUP.
  ///
  /// If the file cannot be read, or has an error, the current tokens stay in use.
  struct TokenReloading: Service {
    let tokens: APITokens
    let file: String
    let flow: Flow
    let logger: Logger

    func run() async throws {
      let signals = await UnixSignalsSequence(trapping: .sighup)
      // It reads a file.
      let threads = WorkerThreads(limit: 1)
      for await _ in signals.cancelOnGracefulShutdown() {
        await withTaskExecutorPreference(threads) { reload() }
      }
    }

    func reload() {
      do {
        tokens.replace(
          with: try APITokens(file: TextFile.read(file, name: file), named: file, of: flow))
        logger.notice("tokens were reloaded", metadata: ["file": "\(file)"])
      } catch {
        logger.error(
          "tokens were not reloaded: the token file has an error",
          metadata: ["why": "\(error)", "file": "\(file)"])
      }
    }
  }
#endif
