import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A process of the built command, in its own folder.
struct ChildProcess {
  struct NotStarted: Error {
    let code: Int32
  }

  /// The target of a stream of the child: a path and the flags to open it with.
  struct Stream {
    let path: String
    let flags: Int32

    static func reading(_ path: String) -> Stream { Stream(path: path, flags: O_RDONLY) }
    static func writing(_ path: String) -> Stream {
      Stream(path: path, flags: O_WRONLY | O_CREAT | O_TRUNC)
    }
    static func terminal(_ path: String) -> Stream { Stream(path: path, flags: O_RDWR) }
  }

  private let identifier: pid_t

  /// Starts the command.
  ///
  /// With `newSession` a terminal that it opens is its own, so that Ctrl-C in it interrupts the
  /// child.
  init(
    _ arguments: [String], in folder: URL, streams: [Stream], newSession: Bool = false,
    command: String = ChildProcess.command, environment: [String: String] = [:]
  ) throws {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #else
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    for (number, stream) in streams.enumerated() {
      posix_spawn_file_actions_addopen(&actions, Int32(number), stream.path, stream.flags, 0o600)
    }
    // The process that runs the tests may ignore or block signals: the child does not.
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    for signal in [
      SIGINT, SIGQUIT, SIGHUP, SIGTERM, SIGPIPE, SIGXFSZ, SIGTSTP, SIGTTOU, SIGTTIN,
    ] { sigaddset(&signals, signal) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    var flags = Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK)
    if newSession { flags |= ChildProcess.setSession }
    posix_spawnattr_setflags(&attributes, flags)
    // The shell only goes to the folder: the call for that is not declared everywhere.
    let enter = ["sh", "-c", "cd \"$1\" && shift && exec \"$@\"", "sh", folder.path]
    let words = ChildProcess.copies(of: enter + [command] + arguments)
    var set = ["PATH": "/usr/bin:/bin", "COLUMNS": "80"].merging(environment) { $1 }
    // The command runs with the sanitizer options of the tests.
    set["ASAN_OPTIONS"] = ProcessInfo.processInfo.environment["ASAN_OPTIONS"]
    let variables = ChildProcess.copies(of: set.sorted { $0.key < $1.key }.map { "\($0)=\($1)" })
    defer { for word in words + variables { free(word) } }
    var started: pid_t = 0
    let code = posix_spawn(&started, "/bin/sh", &actions, &attributes, words, variables)
    guard code == 0 else { throw NotStarted(code: code) }
    identifier = started
  }

  /// As C takes a list of texts.
  ///
  /// Whoever takes them frees them.
  private static func copies(of texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
    var copies: [UnsafeMutablePointer<CChar>?] = []
    for text in texts { copies.append(strdup(text)) }
    return copies + [nil]
  }

  #if canImport(Darwin)
    private static let setSession = Int16(POSIX_SPAWN_SETSID)
  #else
    private static let setSession: Int16 = 0x80  // POSIX_SPAWN_SETSID, a GNU name
  #endif

  func signal(_ number: Int32) { kill(identifier, number) }

  #if os(Linux)
    /// The processes that it has started.
    var children: [pid_t] {
      let path = "/proc/\(identifier)/task/\(identifier)/children"
      let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
      return text.split(separator: " ").compactMap { pid_t($0) }
    }
  #endif

  /// Waits for the end.
  ///
  /// The exit code, or 128 and the signal, as a shell tells it.
  func wait() -> Int32 {
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0 && errno == EINTR {}
    let signal = status & 0x7f
    return signal == 0 ? (status >> 8) & 0xff : 128 + signal
  }

  /// The built command lies beside the bundle of the tests.
  static let command: String = {
    let tests =
      Bundle.allBundles.map(\.bundleURL).first { $0.pathExtension == "xctest" }
      ?? URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    return tests.deletingLastPathComponent().appending(path: "moonlatch").path
  }()
}

/// The result of a run of the command.
struct Ran: Equatable {
  let code: Int32
  let output: String
  let errors: String
}

/// Runs the command to its end, its input taken from a text.
func moonlatch(
  _ arguments: String..., in folder: TemporaryFolder, input: String = ""
) throws -> Ran {
  try moonlatch(arguments, in: folder, input: Data(input.utf8))
}

func moonlatch(_ arguments: [String], in folder: TemporaryFolder, input: Data) throws -> Ran {
  let streams = try TemporaryFolder()
  try streams.write(input, to: "in")
  let path = streams.url.path
  let child = try ChildProcess(
    arguments, in: folder.url,
    streams: [.reading(path + "/in"), .writing(path + "/out"), .writing(path + "/err")])
  let code = child.wait()
  return Ran(code: code, output: try streams.text(of: "out"), errors: try streams.text(of: "err"))
}
