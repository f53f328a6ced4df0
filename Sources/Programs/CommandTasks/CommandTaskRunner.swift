#if Server
  @_exported import HTTPTasks
  import HostFiles
  import Platform

  /// The runner of the programs of a host file's `command` capabilities.
  ///
  /// ```swift
  /// let file = try HostFile(URL(filePath: "order.host.lua"))
  /// let (sender, runner) = (HTTPTaskSender(), CommandTaskRunner())
  /// let orders = try await Cases(of: order, in: journal) {
  ///   file.provide(to: &$0, sending: sender, running: runner)
  /// }
  /// // ...
  /// try await orders.close()
  /// await runner.close()
  /// await sender.close()
  /// ```
  ///
  /// Each program runs in a session of its own, with the environment that the host file says and no open files but its
  /// standard input, output and error. After its timeout, or when its call is cancelled, all processes of its group get
  /// SIGTERM, and 5 seconds later SIGKILL.
  public final class CommandTaskRunner: CommandRunner {
    private struct State {
      var commands: [Int: RunningCommand] = [:]
      var lastNumber = 0
      var isClosed = false
    }

    private let state = Mutex(State())

    /// Makes a runner.
    ///
    /// From then on the process ignores the signal SIGPIPE, as servers do: a program may end without having read its
    /// input.
    public init() { signal(SIGPIPE, SIG_IGN) }

    package func run(_ request: CommandTaskRequest) async -> CommandTaskResponse {
      let command = RunningCommand(request)
      guard let number = add(command) else { return .interrupted }
      defer { state.withLock { $0.commands[number] = nil } }
      let timer = Task {
        do { try await Task.sleep(for: command.timeout) } catch { return }
        command.end(because: .timeout)
      }
      // A task of its own: in a cancelled one, the program would be left alone by the library.
      let work = Task { await command.run() }
      let response = await withTaskCancellationHandler {
        await work.value
      } onCancel: {
        command.end(because: .cancellation)
      }
      timer.cancel()
      return response
    }

    /// Adds a command, and returns its number; nil after `close`.
    private func add(_ command: RunningCommand) -> Int? {
      state.withLock { state in
        if state.isClosed { return nil }
        state.lastNumber += 1
        state.commands[state.lastNumber] = command
        return state.lastNumber
      }
    }

    /// Kills the programs that still run, and waits until they have ended; later calls are interrupted.
    public func close() async {
      let commands = state.withLock { state in
        state.isClosed = true
        return Array(state.commands.values)
      }
      for command in commands { command.kill() }
      for command in commands { await command.waitForEnd() }
    }
  }
#endif
