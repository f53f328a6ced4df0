import Bench
import Foundation

/// A server that runs while it is measured.
///
/// After its start nothing of it changes until its process is ended.
final class Served: @unchecked Sendable {
  let port: Int
  let token: String
  private let process: Process

  /// Starts it, and waits until it has said where it listens.
  init(_ words: [String], in folder: URL) throws {
    let log = folder.appending(path: "said")
    _ = FileManager.default.createFile(atPath: log.path, contents: nil)
    process = Process()
    process.executableURL = URL(filePath: words[0])
    process.arguments = Array(words.dropFirst())
    process.standardOutput = try FileHandle(forWritingTo: log)
    process.standardError = FileHandle.nullDevice
    try process.run()
    var said = ""
    for _ in 0..<400 where !said.contains("http://127.0.0.1:") || !said.hasSuffix("\n") {
      usleep(25_000)
      said = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
    }
    guard let port = said.firstMatch(of: /http:\/\/127\.0\.0\.1:([0-9]+)/).flatMap({ Int($0.1) })
    else { throw WrongResult("\(words[0]) has not said where it is: \(said)") }
    self.port = port
    token = said.firstMatch(of: /token of this run is ([0-9a-f]+)/).map { String($0.1) } ?? "none"
  }

  deinit {
    process.terminate()
    process.waitUntilExit()
  }

  /// The memory that the server holds, in bytes.
  var memory: Int {
    let file = "/proc/\(process.processIdentifier)/statm"
    let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
    return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4_096
  }

  /// The most that it has held in memory so far, in MiB.
  var mostMemory: Double { Program.mostMemory(of: process.processIdentifier) ?? 0 }

  /// The bytes of a request.
  func request(_ method: String, _ path: String, _ body: String = "") -> [UInt8] {
    var text = "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"
    text += "Authorization: Bearer \(token)\r\n"
    if !body.isEmpty {
      text += "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n"
    }
    return Array((text + "\r\n" + body).utf8)
  }

  /// Creates the cases `c0`, `c1`, and so on.
  func begin(_ count: Int, named prefix: String = "c") throws {
    let connection = try Connection(port)
    for index in 0..<count {
      let answer = try connection.ask(request("POST", "/cases/\(prefix)\(index)"))
      try WrongResult.unless(answer.hasPrefix("HTTP/1.1 201"), "a case does not begin: \(answer)")
    }
  }
}

/// A connection that is asked one thing after the other.
final class Connection {
  let descriptor: Int32

  init(_ port: Int) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let isOpen = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    try WrongResult.unless(isOpen, "the server takes no connection: errno \(errno)")
    var yes: Int32 = 1
    setsockopt(
      descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
  }

  deinit { close(descriptor) }

  func send(_ bytes: [UInt8]) throws {
    let count = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    try WrongResult.unless(count == bytes.count, "a request could not be sent")
  }

  func ask(_ bytes: [UInt8]) throws -> String {
    try send(bytes)
    return try receive()
  }

  /// Reads an answer, which is short enough to come in one piece.
  func receive() throws -> String {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
  }
}
