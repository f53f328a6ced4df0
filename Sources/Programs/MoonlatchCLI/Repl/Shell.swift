import CLineEdit
import Platform

/// Programs that have the terminal while the prompt waits: an editor, a pager.
enum Shell {
  /// Runs a line of shell with arguments, and returns its exit status; nil if no shell could be started.
  ///
  /// Meanwhile Ctrl-C goes to the child process.
  ///
  /// - Parameter input: a descriptor that is its standard input; nil for the terminal.
  static func run(_ line: String, with arguments: [String] = [], input: Int32? = nil) -> Int32? {
    line_interrupts_pause(true)
    defer { line_interrupts_pause(false) }
    let words = (["sh", "-c", line, "sh"] + arguments).map { strdup($0) }
    let variables = ProcessInfo.processInfo.environment.map { strdup("\($0.key)=\($0.value)") }
    defer { for text in words + variables { free(text) } }
    #if canImport(Darwin)
      var attributes: posix_spawnattr_t?
      var actions: posix_spawn_file_actions_t?
    #else
      var attributes = posix_spawnattr_t()
      var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let input { posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO) }
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGINT)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    var child: pid_t = 0
    let started = posix_spawn(
      &child, "/bin/sh", &actions, &attributes, words + [nil], variables + [nil])
    guard started == 0 else { return nil }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0 && errno == EINTR {}
    let signal = status & 0x7f
    return signal == 0 ? (status >> 8) & 0xff : 128 + signal
  }
}
