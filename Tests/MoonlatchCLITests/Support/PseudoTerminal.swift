import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A terminal that runs the command, and types after the expected output.
final class PseudoTerminal {
  struct Silent: Error {
    let screen: String
  }

  /// Keys that are no letters.
  enum Key {
    static let enter = "\r"
    static let tab = "\t"
    static let up = "\u{1b}[A"
    static let down = "\u{1b}[B"
    static let left = "\u{1b}[D"
    static let newLine = "\u{1b}\r"
    static func control(_ letter: Character) -> String {
      String(UnicodeScalar((letter.asciiValue ?? 64) & 0x1f))
    }
    static func paste(_ text: String) -> String { "\u{1b}[200~\(text)\u{1b}[201~" }
  }

  private let main: Int32
  private let child: ChildProcess
  private var shown: Screen
  /// Whatever came, escape sequences included.
  private(set) var raw = ""

  convenience init(
    _ arguments: String..., in folder: TemporaryFolder, term: String = "xterm",
    columns: Int = 80, environment: [String: String] = [:],
    command: String = ChildProcess.command
  ) throws {
    try self.init(
      arguments, in: folder, term: term, columns: columns, environment: environment,
      command: command)
  }

  init(
    _ arguments: [String], in folder: TemporaryFolder, term: String = "xterm",
    columns: Int = 80, environment: [String: String] = [:],
    command: String = ChildProcess.command
  ) throws {
    shown = Screen(width: columns)
    var main: Int32 = -1
    var other: Int32 = -1
    var name = [CChar](repeating: 0, count: 128)
    var size = winsize(ws_row: 24, ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    guard openpty(&main, &other, nil, nil, &size) == 0,
      ttyname_r(other, &name, name.count) == 0
    else { throw ChildProcess.NotStarted(code: errno) }
    self.main = main
    _ = fcntl(main, F_SETFD, FD_CLOEXEC)
    _ = fcntl(other, F_SETFD, FD_CLOEXEC)
    let terminal = ChildProcess.Stream.terminal(
      String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
    child = try ChildProcess(
      arguments, in: folder.url, streams: [terminal, terminal, terminal], newSession: true,
      command: command, environment: ["TERM": term, "PAGER": ""].merging(environment) { $1 })
    close(other)
  }

  deinit { close(main) }

  /// All that stands on the screen and above it.
  var screen: String { shown.text }

  /// Types a text and waits until the cursor stands behind `prompt`, at the start of its row.
  func type(_ text: String, until prompt: String) throws {
    let before = raw.utf8.count
    send(text)
    try read { $0.raw.utf8.count > before && $0.shown.beforeCursor == prompt }
  }

  /// Types a text and Enter, and waits for the prompt.
  func enter(_ text: String, until prompt: String) throws {
    try type(text + Key.enter, until: prompt)
  }

  /// Types a text and waits until it is shown, or something else is.
  func type(_ text: String, showing shown: String) throws {
    let before = raw.utf8.count
    send(text)
    try read { $0.raw.utf8.count > before && $0.screen.contains(shown) }
  }

  /// Waits until the cursor stands behind the text.
  func wait(for prompt: String) throws { try read { $0.shown.beforeCursor == prompt } }

  /// True if the terminal echoes input, hands it on line by line, and turns control keys into signals.
  var isCooked: Bool {
    var settings = termios()
    tcgetattr(main, &settings)
    return settings.c_lflag & tcflag_t(ECHO | ICANON | ISIG) == tcflag_t(ECHO | ICANON | ISIG)
  }

  func send(_ text: String) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let written = bytes.withUnsafeBytes { write(main, $0.baseAddress, $0.count) }
      guard written > 0 else { return }
      bytes = bytes.dropFirst(written)
    }
  }

  /// Makes the window another size, and tells the command so.
  func resize(columns: Int) {
    var size = winsize(ws_row: 24, ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(main, UInt(TIOCSWINSZ), &size)
  }

  /// Types a text and waits for the command to end.
  ///
  /// Its exit code.
  func leave(typing text: String) throws -> Int32 {
    send(text)
    try read { _ in false }
    return child.wait()
  }

  /// Sends a signal and waits for the command to end.
  ///
  /// Its exit code.
  func end(by signal: Int32) throws -> Int32 {
    child.signal(signal)
    try read { _ in false }
    return child.wait()
  }

  /// Reads until enough is there, or the other side has gone.
  ///
  /// A screen that stays silent for a minute is a failure, unless the whole machine stood still.
  private func read(until isEnough: (PseudoTerminal) -> Bool) throws {
    var block = [UInt8](repeating: 0, count: 4096)
    while !isEnough(self) {
      var waiting = pollfd(fd: main, events: Int16(POLLIN), revents: 0)
      guard poll(&waiting, 1, 60_000) > 0 || poll(&waiting, 1, 10_000) > 0 else {
        throw Silent(screen: screen)
      }
      #if canImport(Glibc)
        let count = Glibc.read(main, &block, block.count)
      #else
        let count = Darwin.read(main, &block, block.count)
      #endif
      guard count > 0 else { return }
      shown.write(block[..<count])
      raw += String(decoding: block[..<count], as: UTF8.self)
    }
  }
}
