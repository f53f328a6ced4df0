import Foundation

/// The server that is fuzzed: a process of its own, with a case to begin with.
final class Server {
  let port: Int
  let token: String
  var host: String { "127.0.0.1:\(port)" }
  private let process: Process
  private let log: URL

  struct Failure: Error, CustomStringConvertible { let description: String }

  /// Serves a flow, with the inspector, cases being kept in a file: what is kept in memory would only grow.
  init(_ program: String, flow: String, folder: URL) throws {
    log = folder.appending(path: "http-server.log")
    let journal = folder.appending(path: "http.journal").path
    for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: journal + end) }
    _ = FileManager.default.createFile(atPath: log.path, contents: nil)
    process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = ["serve", flow, "--journal", journal, "--quick", "--port", "0"]
    let output = try FileHandle(forWritingTo: log)
    process.standardOutput = output
    process.standardError = output
    try process.run()
    var said = ""
    for _ in 0..<400 where !said.contains("#token=") {
      usleep(25_000)
      said = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
    }
    guard let address = said.firstMatch(of: /served at http:\/\/127\.0\.0\.1:(\d+)/),
      let token = said.firstMatch(of: /token of this run is (\w+)/), let port = Int(address.1)
    else { throw Failure(description: "the server has not said where it is: \(said)") }
    (self.port, self.token) = (port, String(token.1))
  }

  /// True while the server runs.
  var isAlive: Bool { process.isRunning }

  /// All that it has said.
  var said: String { (try? String(contentsOf: log, encoding: .utf8)) ?? "" }

  /// The memory that the server holds, in MiB.
  var memory: Double {
    let text =
      (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/statm", encoding: .utf8))
      ?? ""
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? 0
    return pages * 4_096 / 1_048_576
  }

  /// The fault of the answer to a valid request, within ten seconds; nil if there is none.
  var fault: String? {
    guard let connection = Connection(port: port) else {
      return "the server takes no connection any more: \(String(cString: strerror(errno)))"
    }
    connection.send(
      Array("GET /health/live HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n".utf8))
    let answer = String(decoding: connection.read(pause: 10_000), as: UTF8.self)
    if answer.hasPrefix("HTTP/1.1 200") { return nil }
    return "the server does not answer as it should any more: \"\(answer)\""
  }

  /// Ends it as an operator would.
  ///
  /// - Returns: its exit code.
  func stop() -> Int32 {
    process.terminate()
    process.waitUntilExit()
    return process.terminationStatus
  }
}
