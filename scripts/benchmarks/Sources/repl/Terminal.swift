import Bench
import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The command at a terminal of its own, typed at as fast as it answers.
final class Terminal {
  private let main: Int32
  private let child: pid_t
  private var tail: [UInt8] = []

  init(_ command: String, _ arguments: [String]) throws {
    var main: Int32 = -1
    var size = winsize(ws_row: 50, ws_col: 120, ws_xpixel: 0, ws_ypixel: 0)
    var other: Int32 = -1
    var name = [CChar](repeating: 0, count: 128)
    try WrongResult.unless(
      openpty(&main, &other, nil, nil, &size) == 0 && ttyname_r(other, &name, name.count) == 0,
      "no terminal could be opened")
    self.main = main
    _ = fcntl(main, F_SETFD, FD_CLOEXEC)
    _ = fcntl(other, F_SETFD, FD_CLOEXEC)
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
      let newSession = Int16(POSIX_SPAWN_SETSID)
    #else
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
      let newSession: Int16 = 0x80
    #endif
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    posix_spawnattr_setflags(&attributes, newSession)
    for stream in 0..<Int32(3) {
      posix_spawn_file_actions_addopen(&actions, stream, name, O_RDWR, 0)
    }
    var words: [UnsafeMutablePointer<CChar>?] = []
    for word in [command] + arguments { words.append(strdup(word)) }
    var variables: [UnsafeMutablePointer<CChar>?] = []
    for variable in ["PATH=/usr/bin:/bin", "TERM=xterm", "NO_COLOR=1"] {
      variables.append(strdup(variable))
    }
    defer { for text in words + variables { free(text) } }
    var child: pid_t = 0
    let code = posix_spawn(&child, command, &actions, &attributes, words + [nil], variables + [nil])
    try WrongResult.unless(code == 0, "\(command) could not be started")
    self.child = child
    close(other)
  }

  deinit { close(main) }

  /// Types a text and waits until the terminal has shown another one.
  func type(_ text: String, until shown: String) throws {
    tail = []
    let bytes = Array(text.utf8)
    try WrongResult.unless(write(main, bytes, bytes.count) == bytes.count, "the terminal is gone")
    try wait(for: shown)
  }

  func wait(for shown: String) throws {
    let wanted = Array(shown.utf8)
    var block = [UInt8](repeating: 0, count: 65_536)
    while !tail.contains(wanted) {
      var ready = pollfd(fd: main, events: Int16(POLLIN), revents: 0)
      try WrongResult.unless(poll(&ready, 1, 60_000) > 0, "the prompt did not answer in a minute")
      #if canImport(Glibc)
        let count = Glibc.read(main, &block, block.count)
      #else
        let count = Darwin.read(main, &block, block.count)
      #endif
      try WrongResult.unless(
        count > 0, "the prompt ended: " + String(decoding: tail, as: UTF8.self))
      tail += block[..<count]
    }
  }

  func leave() {
    _ = try? type("\u{4}", until: "\r\n")
    var status: Int32 = 0
    waitpid(child, &status, 0)
  }
}
