import Foundation

/// One way to misuse a server after the other, as chance has it.
final class Attacks {
  private let server: Server
  private let requests: Requests
  private var chance: Chance
  /// Connections that are left open, for the server to close.
  private var abandoned: [Connection] = []
  /// The last request, so that it can be shown.
  private(set) var last: [UInt8] = []
  /// The next position at which a request is cut; each position has its turn.
  private var cut = 0

  init(_ server: Server, seed: UInt64) {
    self.server = server
    requests = Requests(host: server.host, token: server.token)
    chance = Chance(seed: seed)
  }

  /// Makes one.
  ///
  /// - Returns: what is wrong with the answer; nil where nothing is.
  func attack() -> String? {
    if abandoned.count > 60, let oldest = abandoned.first {
      abandoned.removeFirst()
      if let fault = Answer.fault(in: oldest.read(pause: 0)) { return fault }
    }
    guard let connection = Connection(port: server.port) else { return nil }
    switch chance.below(16) {
    case 0..<4: return say(requests.plain(&chance), to: connection)
    case 4..<7: return say(chance.mutated(requests.plain(&chance)), to: connection)
    case 7: return say(requests.odd(&chance), to: connection)
    case 8, 9: return cutShort(connection)
    case 10: return inPieces(connection)
    case 11, 12: return manyAtOnce(connection)
    case 13, 14: return inChunks(connection)
    default: return listen(connection)
    }
  }

  private func say(_ bytes: [UInt8], to connection: Connection) -> String? {
    last = bytes
    connection.send(bytes)
    if chance.percent(50) { connection.closeHalf() }
    return hear(connection)
  }

  /// Checks the answer, then leaves the connection, resets it, or keeps it open for later.
  private func hear(_ connection: Connection) -> String? {
    let fault = Answer.fault(in: connection.read(pause: 10))
    switch chance.below(10) {
    case 0: connection.tear()
    case 1, 2: abandoned.append(connection)
    default: break
    }
    return fault
  }

  /// A request ends behind its first byte, behind its second, and so on.
  private func cutShort(_ connection: Connection) -> String? {
    let whole = requests.bytes(
      "POST", "/cases/a/actions/numbers",
      Array("{\"whole\":1,\"small\":1,\"real\":1.5,\"half\":0.5}".utf8))
    cut = (cut + 1) % (whole.count + 1)
    return say(Array(whole[..<cut]), to: connection)
  }

  private func inPieces(_ connection: Connection) -> String? {
    last = requests.plain(&chance)
    var rest = last[...]
    while !rest.isEmpty {
      let size = chance.from(1, to: 60)
      connection.send(rest.prefix(size))
      rest = rest.dropFirst(size)
      if chance.percent(20) { usleep(useconds_t(chance.below(2_000))) }
    }
    return hear(connection)
  }

  private func manyAtOnce(_ connection: Connection) -> String? {
    last = []
    for _ in 0...chance.below(20) {
      let one = requests.plain(&chance, close: false)
      last += chance.percent(10) ? chance.mutated(one) : one
    }
    connection.send(last)
    return hear(connection)
  }

  private func inChunks(_ connection: Connection) -> String? {
    let body = chance.body(of: "numbers")
    let head =
      "POST /cases/a/actions/numbers HTTP/1.1\r\nHost: \(server.host)\r\nContent-Type: application/json\r\n"
      + "Authorization: Bearer \(server.token)\r\nTransfer-Encoding: chunked\r\n"
      + (chance.percent(10) ? "Content-Length: \(body.count)\r\n" : "") + "\r\n"
    last = Array(head.utf8)
    var rest = body[...]
    while !rest.isEmpty {
      let size = min(rest.count, chance.from(1, to: 300))
      var told = String(size, radix: 16)
      if chance.percent(5) {
        told = chance.pick(
          "", "-1", "ffffffffffffffff", "7fffffff", "0x5", "5 ", "00000000005", "g")
      }
      let end = chance.percent(10) ? ";name=\"value\"" : ""
      last += Array("\(told)\(end)\r\n".utf8) + rest.prefix(size) + Array("\r\n".utf8)
      rest = rest.dropFirst(size)
    }
    if chance.percent(90) {
      last += Array((chance.percent(20) ? "0\r\nX-Trailer: 1\r\n\r\n" : "0\r\n\r\n").utf8)
    }
    return say(last, to: connection)
  }

  /// Listens to a stream: a little, or to nothing of it, or asks for more behind it.
  private func listen(_ connection: Connection) -> String? {
    if chance.percent(30) { connection.narrow() }
    let number = chance.pick("0", "1", "-1", "x", "9223372036854775807", "99999999999999999999")
    last = requests.bytes(
      "GET", requests.path(&chance, Requests.streams), [],
      headers: chance.percent(50) ? ["Last-Event-ID: \(number)"] : [], close: false)
    if chance.percent(30) { last += requests.plain(&chance) }
    connection.send(last)
    if chance.percent(50) {
      abandoned.append(connection)
      return nil
    }
    return hear(connection)
  }
}

/// Checks of a server's answers.
enum Answer {
  /// A status of 500 and more, of any of the answers: nothing that is sent here is worth one.
  static func fault(in bytes: [UInt8]) -> String? {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let found = text.firstRange(of: /HTTP\/1\.1 5[0-9]{2}\s/) else { return nil }
    return "it answers \(text[found.lowerBound...].prefix(600))"
  }
}
