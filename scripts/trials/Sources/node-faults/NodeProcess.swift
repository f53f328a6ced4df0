import Dispatch
import JournalRows
import Platform

/// Something is not as it was promised.
struct CheckFailure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }

  static func unless(_ holds: Bool, _ description: @autoclosure () -> String) throws(CheckFailure) {
    if !holds { throw CheckFailure(description()) }
  }
}

/// The clock that all processes of a machine have in common, in nanoseconds.
func now() -> Int {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// A node, as whoever has started it sees it.
final class NodeProcess: Sendable {
  fileprivate struct State {
    /// The answers of the node, by the number of the question.
    var answers: [Int: [String]] = [:]
    /// The lines about cases that the node printed unasked.
    var told: [String: [[String]]] = [:]
    var notes: [String] = []
    var asked = 0
    var isOver = false
  }

  let name: String
  private let identifier: pid_t
  private let input: Int32
  private let state = Monitor(State())

  private static let all = Monitor<[NodeProcess]>([])
  private static let signals = Monitor<[any DispatchSourceSignal]>([])

  /// Starts one.
  ///
  /// - Parameter options: what `Node` is given behind its name.
  init(_ name: String, _ options: [String]) throws(CheckFailure) {
    var (toNode, fromNode): ([Int32], [Int32]) = ([0, 0], [0, 0])
    guard pipe(&toNode) == 0, pipe(&fromNode) == 0 else { throw CheckFailure("there are no pipes") }
    for end in toNode + fromNode { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_adddup2(&actions, toNode[0], STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, fromNode[1], STDOUT_FILENO)
    let command = CommandLine.arguments[0]
    var words = ([command, "node", name] + options).map { strdup($0) } + [nil]
    defer {
      posix_spawn_file_actions_destroy(&actions)
      for word in words { free(word) }
      close(toNode[0])
      close(fromNode[1])
    }
    var started: pid_t = 0
    guard posix_spawn(&started, command, &actions, nil, &words, environ) == 0 else {
      throw CheckFailure("\(command) could not be started")
    }
    (self.name, identifier, input) = (name, started, toNode[1])
    Self.all.with { $0.append(self) }
    let output = fromNode[0]
    SystemThread.start { self.listen(to: output) }
    _ = try answer(to: 0)
  }

  private func listen(to output: Int32) {
    var (bytes, rest): ([UInt8], [UInt8]) = (Array(repeating: 0, count: 65_536), [])
    while true {
      let count = read(output, &bytes, bytes.count)
      if count <= 0 { break }
      rest += bytes[..<count]
      var lines = rest.split(separator: 10, omittingEmptySubsequences: false)
      rest = Array(lines.removeLast())
      let texts = lines.map { String(decoding: $0, as: UTF8.self) }
      state.with(waking: true) { state in for text in texts { state.handle(text) } }
    }
    close(output)
    state.with(waking: true) { $0.isOver = true }
  }

  // MARK: Asking

  /// Tells it to do something.
  ///
  /// - Returns: the number by which it answers.
  func begin(_ command: String) -> Int {
    let number = state.with { state in
      state.asked += 1
      return state.asked
    }
    let line = Array("\(number) \(command)\n".utf8)
    _ = write(input, line, line.count)
    return number
  }

  /// Waits for the answer to a question.
  func answer(to number: Int, seconds: Int = 120) throws(CheckFailure) -> [String] {
    let answer = state.wait(milliseconds: seconds * 1_000) { state -> [String]? in
      if let answer = state.answers.removeValue(forKey: number) { return answer }
      return state.isOver ? [] : nil
    }
    guard let answer else { throw CheckFailure("\(name) has not answered within \(seconds) s") }
    try CheckFailure.unless(!answer.isEmpty, "\(name) has ended by itself")
    return answer
  }

  /// Has it do something, and waits.
  @discardableResult
  func ask(_ command: String) throws(CheckFailure) -> [String] { try answer(to: begin(command)) }

  /// Waits until it has told something of a case.
  func hears(_ what: String, of id: String) throws(CheckFailure) -> [String] {
    let found = state.wait(milliseconds: 60_000) { state -> [String]? in
      state.told[id]?.first { $0.first == what }
    }
    guard let found else { throw CheckFailure("\(name) does not tell \"\(what)\" of \(id)") }
    return found
  }

  /// Waits until it has ended something, or has ended itself.
  func waitForEnd(of number: Int) {
    state.wait { state -> Void? in
      state.isOver || state.answers.removeValue(forKey: number) != nil ? () : nil
    }
  }

  /// All that it has told of a case; it is forgotten.
  func takeTold(of id: String) -> [[String]] {
    state.with { $0.told.removeValue(forKey: id) ?? [] }
  }

  // MARK: Signals

  func stop() { _ = kill(identifier, SIGSTOP) }
  func goOn() { _ = kill(identifier, SIGCONT) }

  /// Ends it without a word, and waits until it is gone.
  func end() {
    let isMine = Self.all.with { all in
      defer { all.removeAll { $0 === self } }
      return all.contains { $0 === self }
    }
    guard isMine else { return }
    _ = kill(identifier, SIGKILL)
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
    // Its input stays open: who still asks it must not ask another that has got the same number for its own.
    state.wait { $0.isOver ? () : nil }
  }

  static func endAll() { for node in all.with({ $0 }) { node.end() } }

  /// Prints the last reports of all nodes.
  static func tellNotes() {
    for node in all.with({ $0 }) {
      for note in node.state.with({ $0.notes.suffix(10) }) { print("\(node.name): \(note)") }
    }
  }

  /// None outlasts the process that has started it, also where that is ended by a signal.
  static func endAllWithThisOne() {
    signal(SIGPIPE, SIG_IGN)
    for number in [SIGINT, SIGTERM, SIGHUP] {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        for node in all.with({ $0 }) { _ = kill(node.identifier, SIGKILL) }
        exit(128 + number)
      }
      source.activate()
      signals.with { $0.append(source) }
    }
  }
}

extension NodeProcess.State {
  /// Takes a line: `= NUMBER ANSWER...`, `- CASE WORDS...`, or anything else as a note.
  fileprivate mutating func handle(_ line: String) {
    let words = line.split(separator: " ").map(String.init)
    switch words.first {
    case "=" where words.count > 2: answers[Int(words[1]) ?? -1] = Array(words[2...])
    case "-" where words.count > 2: told[words[1], default: []].append(Array(words[2...]))
    default: notes.append(line)
    }
  }
}
