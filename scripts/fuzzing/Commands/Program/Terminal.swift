import Foundation

/// A terminal in which a command runs.
final class Terminal {
  let path: String
  private var main: Int32 = -1
  private var other: Int32 = -1

  init?() {
    var name = [CChar](repeating: 0, count: 128)
    var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
    guard openpty(&main, &other, nil, nil, &size) == 0, ttyname_r(other, &name, 128) == 0 else {
      return nil
    }
    path = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    for end in [main, other] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    _ = fcntl(main, F_SETFL, O_NONBLOCK)
  }

  deinit {
    close(main)
    close(other)
  }

  /// How it is set.
  var settings: [UInt32] {
    var found = termios()
    guard tcgetattr(other, &found) == 0 else { return [] }
    let keys = withUnsafeBytes(of: found.c_cc) { $0.map(UInt32.init) }
    return [found.c_iflag, found.c_oflag, found.c_cflag, found.c_lflag] + keys
  }

  func type(_ text: String) { _ = Array(text.utf8).withUnsafeBytes { write(main, $0.baseAddress, $0.count) } }

  func resize(columns: Int) {
    var size = winsize(ws_row: 24, ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(main, UInt(TIOCSWINSZ), &size)
  }

  /// The text that was shown since it was last asked for.
  func shown() -> String {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    var text: [UInt8] = []
    while true {
      let count = read(main, &bytes, bytes.count)
      if count <= 0 { break }
      text += bytes[..<count]
    }
    return String(decoding: text, as: UTF8.self)
  }
}
