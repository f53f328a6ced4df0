import Foundation

/// A connection without a library that would mend what is sent.
final class Connection {
  private let descriptor: Int32

  /// Nil where the server takes no more.
  init?(port: Int) {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let isOpen = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    guard isOpen else { return nil }
    var yes: Int32 = 1
    setsockopt(
      descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
    // A server that reads nothing does not stop us.
    var patience = timeval(tv_sec: 2, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { close(descriptor) }

  /// Sends as much as the server takes.
  func send(_ bytes: some Collection<UInt8>) {
    let bytes = Array(bytes)
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count <= 0 { return }
      sent += count
    }
  }

  /// Nothing more is sent, and what is answered is still read.
  func closeHalf() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// It is torn down, and not closed, when it is let go.
  func tear() {
    var now = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
  }

  /// So little is kept of what comes that a server soon has to wait.
  func narrow() {
    var size: Int32 = 1_024
    setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
  }

  /// Reads until the server hangs up, `isEnough` returns true, or nothing comes for so many milliseconds.
  func read(pause: Int, until isEnough: ([UInt8]) -> Bool = { _ in false }) -> [UInt8] {
    var answer: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while !isEnough(answer) {
      var waited = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&waited, 1, Int32(pause)) > 0 else { break }
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count <= 0 { break }
      answer += buffer[..<count]
      if answer.count > 1 << 22 { break }
    }
    return answer
  }
}
