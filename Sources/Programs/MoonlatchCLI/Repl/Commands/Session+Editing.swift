import CLineEdit
import Platform

extension Session {
  /// Opens the flow in the user's editor and reloads what was saved.
  func edit() throws -> String {
    guard text.file != nil else {
      throw CommandError("the flow that was typed has no file yet: :save NAME.lua first")
    }
    let variables = ProcessInfo.processInfo.environment
    let editor =
      [variables["VISUAL"], variables["EDITOR"]].compactMap { $0 }.first { !$0.isEmpty } ?? "vi"
    let status = try Session.shell(editor + " \"$1\"", text.displayName)
    guard status == 0 else {
      throw CommandError("\(editor) ended with \(status); nothing was reloaded")
    }
    return try reload(.keep)
  }

  /// Runs a line of shell with one argument, at the terminal.
  ///
  /// Meanwhile Ctrl-C goes to the child process.
  private static func shell(_ line: String, _ argument: String) throws -> Int32 {
    line_interrupts_pause(true)
    defer { line_interrupts_pause(false) }
    var words: [UnsafeMutablePointer<CChar>?] = []
    for word in ["sh", "-c", line, "sh", argument] { words.append(strdup(word)) }
    var variables: [UnsafeMutablePointer<CChar>?] = []
    for (name, value) in ProcessInfo.processInfo.environment {
      variables.append(strdup("\(name)=\(value)"))
    }
    defer { for text in words + variables { free(text) } }
    #if canImport(Darwin)
      var attributes: posix_spawnattr_t?
    #else
      var attributes = posix_spawnattr_t()
    #endif
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGINT)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    var child: pid_t = 0
    guard posix_spawn(&child, "/bin/sh", nil, &attributes, words + [nil], variables + [nil]) == 0
    else {
      throw CommandError("no shell could be started")
    }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0 && errno == EINTR {}
    let signal = status & 0x7f
    return signal == 0 ? (status >> 8) & 0xff : 128 + signal
  }
}
