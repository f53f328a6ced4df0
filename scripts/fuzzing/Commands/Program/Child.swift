import Foundation

/// A command that runs by itself, within limits.
final class Child {
  /// How a command ended.
  struct End {
    /// Its exit code; 128 and the number of the signal that ended it.
    let code: Int32
    let isKilled: Bool
    /// The most memory that it held, in MiB.
    let memory: Int
    let seconds: Double
    let output: String
    let errors: String
  }

  /// The place that its output goes to.
  enum Output {
    case file
    case closedPipe
    case full
  }

  /// The settings that it is started with.
  struct Setting {
    var output = Output.file
    /// Commands of a shell before the program takes its place: `ulimit -n 12`, `exec 0<&-`.
    var preparations: [String] = []
    var input = ""
    /// The path of a terminal, which is then all three of its streams.
    var terminal: String?
    var environment: [String: String] = [:]
  }

  let pid: pid_t
  let text: String
  private let start = Date()
  private let files: (input: String, output: String, errors: String)

  /// Starts a command in a folder; nil if it cannot be started.
  init?(
    _ program: String, _ arguments: [String], in folder: String, notes: String,
    _ setting: Setting = Setting()
  ) {
    let steps = ["cd \(Child.quoted(folder))", "ulimit -c 0"] + setting.preparations
    let script = (steps + ["exec \"$@\""]).joined(separator: "\n")
    text = (steps + [([program] + arguments).map(Child.quoted).joined(separator: " ")])
      .joined(separator: "; ")
    files = (notes + "/in", notes + "/out", notes + "/err")
    for file in [files.output, files.errors] { unlink(file) }
    try? setting.input.write(toFile: files.input, atomically: false, encoding: .utf8)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    var pipe: [Int32] = [-1, -1]
    let made = O_WRONLY | O_CREAT | O_TRUNC
    if let terminal = setting.terminal {
      for descriptor in 0...2 {
        posix_spawn_file_actions_addopen(&actions, Int32(descriptor), terminal, O_RDWR, 0)
      }
    } else {
      posix_spawn_file_actions_addopen(&actions, 0, files.input, O_RDONLY, 0)
      switch setting.output {
      case .file: posix_spawn_file_actions_addopen(&actions, 1, files.output, made, 0o644)
      case .full: posix_spawn_file_actions_addopen(&actions, 1, "/dev/full", O_WRONLY, 0)
      case .closedPipe:
        guard Glibc.pipe(&pipe) == 0 else { return nil }
        posix_spawn_file_actions_adddup2(&actions, pipe[1], 1)
        posix_spawn_file_actions_addclose(&actions, pipe[0])
        posix_spawn_file_actions_addclose(&actions, pipe[1])
      }
      posix_spawn_file_actions_addopen(&actions, 2, files.errors, made, 0o644)
    }
    defer { for end in pipe where end >= 0 { close(end) } }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    let session = setting.terminal == nil ? POSIX_SPAWN_SETPGROUP : 0x80  // POSIX_SPAWN_SETSID
    posix_spawnattr_setflags(
      &attributes,
      Int16(POSIX_SPAWN_SETSIGDEF) | Int16(POSIX_SPAWN_SETSIGMASK) | Int16(session))
    let words = ["/bin/sh", "-c", script, "sh", program] + arguments
    var environment = ["PATH": "/usr/bin:/bin", "HOME": notes, "LANG": "C.UTF-8", "TERM": "xterm"]
    environment.merge(setting.environment) { $1 }
    var (pid, code): (pid_t, Int32) = (0, 0)
    Child.withStrings(words) { words in
      Child.withStrings(environment.map { "\($0)=\($1)" }) {
        code = posix_spawn(&pid, "/bin/sh", &actions, &attributes, words, $0)
      }
    }
    guard code == 0 else { return nil }
    self.pid = pid
  }

  static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy {
      (97...122).contains($0) || (65...90).contains($0) || (45...57).contains($0) || $0 == 61
    }
    return isPlain && !word.isEmpty ? word : "'\(word.replacing("'", with: "'\\''"))'"
  }

  private static func withStrings(
    _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Void
  ) {
    let copies = strings.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    body(copies + [nil])
  }

  /// Sends it a signal.
  func signal(_ number: Int32) { kill(pid, number) }

  /// Its output so far.
  var output: String { Child.read(files.output) }
  private static func read(_ file: String) -> String {
    guard let handle = FileHandle(forReadingAtPath: file) else { return "" }
    defer { try? handle.close() }
    return String(decoding: (try? handle.read(upToCount: 1 << 20)) ?? Data(), as: UTF8.self)
  }

  /// True once it has ended; `end` is then how.
  private(set) var ended: End?

  /// Waits for its end.
  ///
  /// - Returns: nil if it has not ended within these seconds.
  func wait(_ seconds: Double) -> End? {
    let limit = Date() + seconds
    var pause: useconds_t = 500
    while ended == nil {
      if let held = mostMemory { memory = max(memory, held) }
      if collect(WNOHANG) { break }
      if Date() > limit { return nil }
      usleep(pause)
      pause = min(3_000, pause * 2)
    }
    return ended
  }

  /// Waits for its end, and ends it with all that it has started where that takes longer than these seconds.
  func end(within seconds: Double) -> End {
    if let end = wait(seconds) { return end }
    kill(-pid, SIGKILL)
    _ = collect(0, isKilled: true)
    return ended ?? End(code: -1, isKilled: true, memory: 0, seconds: 0, output: "", errors: "")
  }

  private var memory = 0

  /// The most that it has held so far, in MiB. (How it ended would tell what this process has held, too.)
  private var mostMemory: Int? {
    guard let text = try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8),
      let line = text.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") })
    else { return nil }
    return line.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 >> 10 }
  }

  private func collect(_ options: Int32, isKilled: Bool = false) -> Bool {
    if ended != nil { return true }
    var status: Int32 = 0
    guard waitpid(pid, &status, options) == pid else { return false }
    let signal = status & 0x7f
    ended = End(
      code: signal == 0 ? (status >> 8) & 0xff : 128 + signal, isKilled: isKilled,
      memory: memory, seconds: Date().timeIntervalSince(start),
      output: Child.read(files.output), errors: Child.read(files.errors))
    return true
  }
}
