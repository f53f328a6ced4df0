import Foundation

/// A connection without a library that would mend what is sent.
package final class RawConnection: Sendable {
  /// It could not be opened.
  package struct Failure: Error {}

  private let descriptor: Int32

  /// Opens one to a port of this machine.
  ///
  /// - Parameter window: how many bytes are taken at most before they are read; nil for as many as the system takes.
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
    // A test that would hang fails.
    var patience = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(
      descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { close(descriptor) }

  /// Sends bytes as they are, as far as they are taken.
  package func send(_ bytes: [UInt8], halfClosing: Bool = false) async {
    await waiting { [self] in write(bytes, halfClosing: halfClosing) }
  }

  /// All that comes until the server hangs up, or enough has come.
  package func receive(until enough: String? = nil) async -> String {
    await waiting { [self] in read(until: enough) }
  }

  /// Waits on a thread of its own: the server in the same process needs those that tasks run on.
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
