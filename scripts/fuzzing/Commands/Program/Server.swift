import Foundation

/// A moonlatch-serve that serves a flow of a folder, its cases being kept there.
final class CaseServer {
  let child: Child
  private var port = 0
  private var token = ""

  init?(_ program: String, flow: String, journal: String, in folder: String, notes: String, _ setting: Child.Setting = Child.Setting()) {
    guard
      let child = Child(
        program, ["serve", flow, "--missing", "wait", "--journal", journal, "--port", "0"], in: folder,
        notes: notes, setting)
    else { return nil }
    self.child = child
  }

  /// Waits until it serves.
  ///
  /// - Returns: whether it does; false if it has ended, or so many seconds are over.
  func isServing(within seconds: Double) -> Bool {
    let limit = Date() + seconds
    while Date() < limit, child.wait(0.01) == nil {
      let said = child.output
      if let address = said.firstMatch(of: /served at http:\/\/127\.0\.0\.1:(\d+)/),
        let token = said.firstMatch(of: /token of this run is (\w+)/), let port = Int(address.1)
      {
        (self.port, self.token) = (port, String(token.1))
        return true
      }
    }
    return false
  }

  /// Asks for something.
  ///
  /// - Returns: the whole answer.
  @discardableResult
  func ask(_ method: String, _ path: String, _ body: String = "", key: String? = nil) -> String {
    guard let connection = Connection(port: port) else { return "" }
    var head =
      "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nAuthorization: Bearer \(token)\r\n"
      + "Connection: close\r\n"
    if let key { head += "Idempotency-Key: \(key)\r\n" }
    if method == "POST" {
      head += "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n"
    }
    connection.send(Array((head + "\r\n" + body).utf8))
    return String(decoding: connection.read(pause: 10_000), as: UTF8.self)
  }
}
