import Foundation

/// A TCP connection without a library that would correct what is sent.
package final class RawConnection: Sendable {
  /// The connection could not be opened.
  package struct Failure: Error {}

  private let descriptor: Int32

  /// Opens a connection to a port of this machine.
  ///
  /// - Parameter window: the size of the receive buffer, in bytes; nil for the system's default.
  package init(port: Int, window: Int32? = nil) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { throw Failure() }
    if var window {
      setsockopt(
        descriptor, SOL_SOCKET, SO_RCVBUF, &window, socklen_t(MemoryLayout<Int32>.size))
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let isOpen = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    guard isOpen else { throw Failure() }
    // A test that would hang must fail.
    var patience = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(
      descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { close(descriptor) }

  /// Sends bytes unchanged, as far as the server accepts them.
  package func send(_ bytes: [UInt8], halfClosing: Bool = false) async {
    await waiting { [self] in write(bytes, halfClosing: halfClosing) }
  }

  /// Returns all that is received until the server closes the connection or `enough` has been received.
  package func receive(until enough: String? = nil) async -> String {
    await waiting { [self] in read(until: enough) }
  }

  /// Runs a blocking function on a thread of its own, because the server in the same process needs the threads of
  /// tasks.
  private func waiting<Answer: Sendable>(_ body: @escaping @Sendable () -> Answer) async -> Answer {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: body()) }
    }
  }

  private func write(_ bytes: [UInt8], halfClosing: Bool) {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count <= 0 { break }
      sent += count
    }
    if halfClosing { shutdown(descriptor, Int32(SHUT_WR)) }
  }

  private func read(until enough: String?) -> String {
    let wanted = enough.map { Data($0.utf8) }
    var answer = Data()
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count <= 0 { break }
      let seen = max(0, answer.count - (wanted?.count ?? 0))
      answer += buffer[..<count]
      if let wanted, answer[seen...].range(of: wanted) != nil { break }
    }
    return String(decoding: answer, as: UTF8.self)
  }
}
