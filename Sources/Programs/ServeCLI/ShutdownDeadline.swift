#if Server
  import Dispatch
  import LuaRuntime
  import Platform
  import StateBlocks

  /// A deadline for the end of the process after a signal, whatever scripts do.
  ///
  /// An orderly shutdown runs in tasks, and scripts may occupy all threads that run tasks; this has a queue and a
  /// thread of its own. Scripts that still run after `scripts` are ended as by a limit: nothing of them is stored. The
  /// process ends after `process`. All that was acknowledged is in the journal.
  final class ShutdownDeadline: Sendable {
    private let sources = Mutex<[any DispatchSourceSignal]>([])
    private let hasBegun = Mutex(false)
    private let scripts: Duration
    private let process: Duration
    private let endScripts: @Sendable () -> Void
    private let giveUp: @Sendable (_ signal: Int32) -> Void

    /// Watches for signals for as long as the object lives.
    init(
      scripts: Duration = .seconds(5), process: Duration = .seconds(10),
      endScripts: @escaping @Sendable () -> Void = { for run in CurrentRun.all { run.end() } },
      giveUp: @escaping @Sendable (_ signal: Int32) -> Void = ShutdownDeadline.exit
    ) {
      (self.scripts, self.process) = (scripts, process)
      (self.endScripts, self.giveUp) = (endScripts, giveUp)
      let queue = DispatchQueue(label: "moonlatch.shutdown")
      sources.withLock { sources in
        for number in [SIGTERM, SIGINT] {
          let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
          source.setEventHandler { [weak self] in self?.start(number) }
          source.resume()
          sources.append(source)
        }
      }
    }

    deinit { sources.withLock { for source in $0 { source.cancel() } } }

    /// Starts the countdown; further calls have no effect.
    func start(_ signal: Int32) {
      let isFirst = hasBegun.withLock { hasBegun in
        defer { hasBegun = true }
        return !hasBegun
      }
      if isFirst { SystemThread.start { self.wait(signal) } }
    }

    private func wait(_ signal: Int32) {
      let start = ContinuousClock.now
      while ContinuousClock.now < start + process {
        usleep(50_000)
        if ContinuousClock.now >= start + scripts { endScripts() }
      }
      giveUp(signal)
    }

    private static func exit(_ signal: Int32) {
      Terminal.writeError(
        "moonlatch: the shutdown was not complete in time; everything that was acknowledged is stored\n"
      )
      _exit(128 + signal)
    }
  }
#endif
