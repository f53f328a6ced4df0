/// Requests to cases and to the inspector: whole ones, with parts that are odd.
struct Requests {
  let host: String
  let token: String

  private static let actions = [
    "nothing", "numbers", "words", "choices", "lists", "maps", "records", "defaults",
    "with%20blanks%20%2F%20and%20%25", "only_when_on", "nothink",
  ]
  private static let reads = [
    "/cases", "/cases/ID", "/cases/ID/state", "/cases/ID/entries", "/cases/ID/views/total",
    "/cases/ID/views/last", "/cases/ID/views/tota", "/health/live", "/health/ready", "/metrics",
    "/openapi.json", "/inspect", "/inspect/api/flow", "/inspect/api/cases",
    "/inspect/api/cases/ID", "/inspect/api/cases/ID/rows", "/inspect/api/cases/ID/rows/1/0",
    "/inspect/api/cases/ID/moment", "/inspect/api/cases/ID/scenario",
  ]
  static let streams = [
    "/cases/ID/events", "/cases/ID/views/total/events", "/cases/ID/views/last/events",
    "/inspect/api/cases/ID/events",
  ]

  /// One that could be answered with what it asks for.
  func plain(_ chance: inout Chance, close: Bool = true) -> [UInt8] {
    if chance.percent(45) {
      return bytes("GET", path(&chance, Self.reads), [], close: close)
    }
    let action = chance.one(of: Self.actions, or: "")
    var route = "/cases/ID" + (action.isEmpty ? "" : "/actions/\(action)")
    switch chance.below(12) {
    case 0: route = "/cases/ID/may/\(action)"
    case 1: route = "/cases/ID/end"
    case 2: route = "/inspect/api/cases/ID/actions/\(action)"
    case 3: route = "/inspect/api/cases/ID/may/\(action)"
    case 4:
      let body = chance.body(of: "fork")
      return bytes("POST", path(&chance, ["/inspect/api/cases/ID/fork"]), body, close: close)
    default: break
    }
    let body = chance.body(of: action)
    return bytes("POST", path(&chance, [route]), body, headers: headers(&chance), close: close)
  }

  /// One whose method, path or headers are of no use.
  func odd(_ chance: inout Chance) -> [UInt8] {
    let method = chance.pick(
      "GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "TRACE", "CONNECT", "PRI", "get", "",
      "G\u{0}T", String(repeating: "M", count: chance.below(9_000)))
    let body = chance.percent(30) ? chance.body(of: "numbers") : []
    var lines: [String] = []
    for _ in 0..<chance.pick(1, 2, 3, 150) { lines.append(oddHeader(&chance)) }
    return bytes(method, oddPath(&chance), body, headers: lines)
  }

  func bytes(
    _ method: String, _ path: String, _ body: [UInt8], headers: [String] = [], close: Bool = true
  ) -> [UInt8] {
    var text = "\(method) \(path) HTTP/1.1\r\nHost: \(host)\r\nAuthorization: Bearer \(token)\r\n"
    if method == "POST" { text += "Content-Type: application/json\r\n" }
    if !body.isEmpty { text += "Content-Length: \(body.count)\r\n" }
    if close { text += "Connection: close\r\n" }
    for header in headers { text += header + "\r\n" }
    return Array((text + "\r\n").utf8) + body
  }

  func path(_ chance: inout Chance, _ routes: [String]) -> String {
    let route = chance.one(of: routes, or: routes.first ?? "/")
    let id = chance.pick(
      "a", "a", "a", "b", "case-\(chance.below(50))", "%F0%9F%98%80", "%00", "%ff", "a%2Fb", "..",
      String(repeating: "i", count: chance.from(200, to: 300)))
    var path = route.replacing("ID", with: id)
    if chance.percent(25) {
      let name = chance.pick("from", "to", "limit", "after", "in", "search", "seq", "by", "x")
      let value = chance.pick(
        "1", "0", "-1", "9223372036854775807", "9223372036854775808", "power.on", "power.", "%zz",
        "%ff", "+", "a+b%2Bc", "%00", "")
      path +=
        "?\(name)=\(value)&\(chance.pick("limit", "to", "from"))=\(chance.pick("1", "5", "x"))"
    }
    return path
  }

  private func headers(_ chance: inout Chance) -> [String] {
    if chance.percent(70) { return [] }
    return [
      chance.pick(
        "Idempotency-Key: k-\(chance.below(30))", "Idempotency-Key: \"k 1\"", "Idempotency-Key: ",
        "Idempotency-Key: \"", "Expect: 100-continue", "Expect: 200-nothing",
        "Content-Type: text/plain", "Content-Length: 1", "Transfer-Encoding: chunked",
        "Transfer-Encoding: gzip", "Upgrade: h2c", "Connection: Upgrade", "Origin: http://\(host)",
        "Origin: null", "Host: evil.example")
    ]
  }

  private func oddPath(_ chance: inout Chance) -> String {
    switch chance.below(8) {
    case 0: "*"
    case 1: ""
    case 2: "http://\(host)/cases"
    case 3: "/cases/../../../etc/passwd"
    case 4: "/" + String(repeating: "a/", count: chance.below(20_000))
    case 5: "//cases//a//?&&==&=1&limit"
    case 6: "/cases/%" + String(decoding: chance.bytes(6), as: UTF8.self)
    default: path(&chance, Self.reads + ["/cases/ID/actions/numbers", "/none"])
    }
  }

  private func oddHeader(_ chance: inout Chance) -> String {
    switch chance.below(9) {
    case 0: "X-\(chance.below(1_000)): \(String(repeating: "v", count: chance.below(20_000)))"
    case 1:
      "Authorization: \(chance.pick("Bearer", "Basic x", "Bearer  \(token)", "bearer \(token)"))"
    case 2:
      "Last-Event-ID: \(chance.pick("-1", "x", "9223372036854775807", "99999999999999999999"))"
    case 3: "Content-Length: \(chance.pick("-1", "1e3", "99999999999999999999", "4, 4", "+4", " "))"
    case 4: "Transfer-Encoding: \(chance.pick("chunked, chunked", "identity", "chunked\u{b}", ","))"
    case 5: ": none"
    case 6: " folded"
    case 7: String(decoding: chance.bytes(chance.below(60)), as: UTF8.self)
    default: "Connection: \(chance.pick("keep-alive", "close, keep-alive", "X-0", ""))"
    }
  }
}
