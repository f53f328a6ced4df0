#if Server
  import CommandTasks
  import Dispatch
  import FlowLanguage
  import HostFiles
  import Platform

  import struct Synchronization.Atomic

  /// The runner of the commands of `run --live` and `repl --live`, which is made when it is needed first.
  ///
  /// From then on a signal that would end the process ends the programs first: each has a session of its own, in which
  /// it would go on. A prompt that is opened later handles its signals itself, and passes on those that end it.
  final class LiveRunner: Sendable {
    /// The signal that was received, or 0.
    private static let received = Atomic<Int32>(0)

    private let made = Mutex<CommandTaskRunner?>(nil)

    /// Returns the runner.
    func runner() -> any CommandRunner {
      let (runner, isFirst) = made.withLock { made in
        if let made { return (made, false) }
        let runner = CommandTaskRunner()
        made = runner
        return (runner, true)
      }
      if isFirst { closeOnSignals() }
      return runner
    }

    /// Kills the programs that still run, and waits until they have ended; later calls are interrupted.
    func close() async { await made.withLock { $0 }?.close() }

    // MARK: Signals

    private func closeOnSignals() {
      // The variable is initialized before a signal can come, because a handler must not be the first to use it.
      _ = LiveRunner.received.load(ordering: .relaxed)
      // Without the thread nobody would act on a signal.
      guard SystemThread.start({ self.waitForSignal() }) else { return }
      for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] { LiveRunner.record(number) }
    }

    /// Records a signal from now on, instead of ending the process; an ignored one stays ignored.
    private static func record(_ number: Int32) {
      let note: @convention(c) (Int32) -> Void = {
        LiveRunner.received.store($0, ordering: .relaxed)
      }
      let before = signal(number, note)
      if unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
        signal(number, SIG_IGN)
      }
    }

    /// Waits for a signal, ends the programs, and then the process by the same signal.
    private func waitForSignal() {
      var number: Int32 = 0
      while number == 0 {
        usleep(20_000)
        number = LiveRunner.received.load(ordering: .relaxed)
      }
      let closed = DispatchSemaphore(value: 0)
      Task {
        await self.close()
        closed.signal()
      }
      _ = closed.wait(timeout: .now() + .seconds(1))
      UnfinishedFile.removeAll()
      signal(number, SIG_DFL)
      kill(getpid(), number)
    }
  }
#endif
