import Platform

/// A worker process, as seen by the process that started it.
final class WorkerProcess {
  struct NotStarted: SystemRefusal {
    let description: String
  }

  /// The way in which a process ended.
  enum Ending: CustomStringConvertible {
    case code(Int32)
    case signal(Int32)

    var description: String {
      switch self {
      case .code(let code): "its process ended with exit code \(code)"
      case .signal(let number):
        "its process was ended by signal \(number)"
          + (strsignal(number).map { " (\(String(cString: $0)))" } ?? "")
      }
    }
  }

  /// The descriptor from which the worker's messages are read.
  let output: Int32
  private let input: Int32
  private let identifier: pid_t
  private var reader = FrameReader()
  private var writer = FrameWriter()

  // The batch's knowledge of the worker.
  /// The jobs that the worker has been given, the current one first.
  var jobs: [RunJob] = []
  /// The current scenario.
  var current: (scenario: ScenarioRecord, index: Int)?
  /// The time at which the worker began what it is doing.
  var since = ContinuousClock.now
  /// True if the worker was killed because it took too long.
  var isOutOfTime = false

  /// Starts the command as a worker.
  init(command: [String], settings: PlaySettings) throws(NotStarted) {
    let toWorker = try WorkerProcess.makePipe()
    let fromWorker = try WorkerProcess.makePipe()
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_adddup2(&actions, toWorker.read, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, fromWorker.write, STDOUT_FILENO)
    var words: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) }
    words.append(nil)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      for word in words { free(word) }
    }
    var started: pid_t = 0
    let code = posix_spawn(&started, command[0], &actions, nil, words, environ)
    close(toWorker.read)
    close(fromWorker.write)
    guard code == 0 else {
      close(toWorker.write)
      close(fromWorker.read)
      throw NotStarted(
        description: "\(command[0]) could not be started: \(String(cString: strerror(code)))")
    }
    identifier = started
    input = toWorker.write
    output = fromWorker.read
    writer.add(settings.value)
  }

  private static func makePipe() throws(NotStarted) -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else {
      throw NotStarted(
        description: "a pipe could not be opened: \(String(cString: strerror(errno)))")
    }
    // No other worker may inherit an open end.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  /// Gives the worker a job.
  ///
  /// A failure to write it is noticed when the worker's output ends.
  func give(_ job: RunJob) {
    if jobs.isEmpty { since = .now }
    jobs.append(job)
    writer.add(job.value)
  }

  /// Writes the jobs that were given.
  func flush() { _ = writer.flush(to: input) }

  /// Reads the bytes that have arrived; returns false after the process has ended.
  func receive() -> Bool { reader.fill(from: output) }

  /// Returns the next complete message, or nil.
  func nextMessage() -> WorkerMessage? {
    while let value = reader.next() {
      if let message = WorkerMessage(value) { return message }
    }
    return nil
  }

  /// Ends the process at once.
  ///
  /// - Parameter endsPrograms: true to give it up to 2 s to end the programs that it has started.
  func kill(endsPrograms: Bool) {
    if endsPrograms {
      _ = Platform.kill(identifier, SIGTERM)
      // Its output is hung up once it has ended.
      var descriptor = pollfd(fd: output, events: 0, revents: 0)
      _ = poll(&descriptor, 1, 2_000)
    }
    _ = Platform.kill(identifier, SIGKILL)
  }

  /// Closes both ends and waits until the process has ended.
  @discardableResult
  func end() -> Ending {
    close(input)
    close(output)
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0 && errno == EINTR {}
    let signal = status & 0x7f
    return signal == 0 ? .code((status >> 8) & 0xff) : .signal(signal)
  }
}
