import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A terminal with the command in it, and a person who waits for the prompt before typing.
final class PseudoTerminal {
  struct Silent: Error {
    let transcript: String
  }

  private let main: Int32
  private let child: ChildProcess
  /// All that stood on the screen, line ends as in a file.
  private(set) var transcript = ""

  init(_ arguments: String..., in folder: TemporaryFolder) throws {
    var main: Int32 = -1
    var other: Int32 = -1
    var name = [CChar](repeating: 0, count: 128)
    guard openpty(&main, &other, nil, nil, nil) == 0, ttyname_r(other, &name, name.count) == 0
    else {
      throw ChildProcess.NotStarted(code: errno)
    }
    self.main = main
    _ = fcntl(main, F_SETFD, FD_CLOEXEC)
    _ = fcntl(other, F_SETFD, FD_CLOEXEC)
    let terminal = ChildProcess.Stream.terminal(
      String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
    child = try ChildProcess(
      arguments, in: folder.url, streams: [terminal, terminal, terminal], newSession: true)
    close(other)
  }

  deinit { close(main) }

  /// Types a text, which the terminal echoes, and waits until the screen ends with `prompt`.
  func type(_ text: String, until prompt: String) throws {
    let before = transcript.utf8.count
    send(text)
    try read { $0.utf8.count > before && $0.hasSuffix(prompt) }
  }

  /// Waits until the screen ends with the text.
  func wait(for prompt: String) throws { try read { $0.hasSuffix(prompt) } }

  /// Types a text and waits for the command to end.
  ///
  /// Its exit code.
  func leave(typing text: String) throws -> Int32 {
    send(text)
    try read { _ in false }
    return child.wait()
  }

  private func send(_ text: String) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let written = bytes.withUnsafeBytes { write(main, $0.baseAddress, $0.count) }
      guard written > 0 else { return }
      bytes = bytes.dropFirst(written)
    }
  }

  /// Reads until enough is there, or the other side has gone.
  ///
  /// A screen that stays silent for a minute is a failure.
  private func read(until isEnough: (String) -> Bool) throws {
    var block = [UInt8](repeating: 0, count: 4096)
    while !isEnough(transcript) {
      var waiting = pollfd(fd: main, events: Int16(POLLIN), revents: 0)
      guard poll(&waiting, 1, 60_000) > 0 else { throw Silent(transcript: transcript) }
      #if canImport(Glibc)
        let count = Glibc.read(main, &block, block.count)
      #else
        let count = Darwin.read(main, &block, block.count)
      #endif
      guard count > 0 else { return }
      let text = String(decoding: block[..<count], as: UTF8.self)
      transcript += text.replacingOccurrences(of: "\r\n", with: "\n")
    }
  }
}
