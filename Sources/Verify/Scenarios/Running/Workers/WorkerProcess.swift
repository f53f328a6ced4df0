import Platform

/// A worker process, seen from the one that started it.
final class WorkerProcess {
  struct NotStarted: SystemRefusal {
    let description: String
  }

  /// Why a process ended.
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

  /// Where what the worker tells is read.
  let output: Int32
  private let input: Int32
  private let identifier: pid_t
  private var reader = FrameReader()
  private var writer = FrameWriter()

  // What the batch knows of it.
  /// The jobs it has been given, the one under way first.
  var jobs: [RunJob] = []
  /// The scenario under way.
  var current: (scenario: ScenarioRecord, index: Int)?
  /// Since when it has been at what it is doing.
  var since = ContinuousClock.now
  /// Whether it was ended because of its time.
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
    // No other worker may hold an end open.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  /// Gives it a job.
  ///
  /// What cannot be written any more comes to light when its output ends.
  func give(_ job: RunJob) {
    if jobs.isEmpty { since = .now }
    jobs.append(job)
    writer.add(job.value)
  }

  /// Sends what was given.
  func flush() { _ = writer.flush(to: input) }

  /// Takes what has arrived; false once the process has ended.
  func receive() -> Bool { reader.fill(from: output) }

  /// The next message that is whole.
  func nextMessage() -> WorkerMessage? {
    while let value = reader.next() {
      if let message = WorkerMessage(value) { return message }
    }
    return nil
  }

  func kill() { _ = Platform.kill(identifier, SIGKILL) }

  /// Closes both ends and waits until it is gone.
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
