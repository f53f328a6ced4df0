import LuaRuntime

/// Requests of an `http` capability.
extension HTTPOptions {
  /// Returns the request of a call.
  ///
  /// - Parameters:
  ///   - parts: what the function `request` has returned; nil without one.
  ///   - time: the longest time that the request takes, in seconds; nil for that of the options.
  /// - Throws: an error for arguments that cannot be sent.
  func request(
    for call: HostCall, _ parts: HTTPRequestParts? = nil, within time: Double? = nil
  ) throws(CallFault) -> HTTPTaskRequest {
    let (path, fixed) = try filledURL(for: call)
    let inURL = Set(url.placeholders)
    let others = call.arguments.filter { !inURL.contains($0.name) }
    let query = try HostCall.pairs(of: parts?.query ?? (body == .nothing ? others : []))
    let pairs = query.map {
      "\(PercentEncoding.encoded($0.name))=\(PercentEncoding.encoded($0.text))"
    }
    let whole = ((fixed.map { [$0] } ?? []).filter { !$0.isEmpty } + pairs).joined(separator: "&")
    let content: (bytes: [UInt8], type: String)? =
      if let parts { try self.content(of: parts.body) } else { try self.content(of: others) }
    return HTTPTaskRequest(
      method: method,
      url: url.origin + (path.isEmpty ? "/" : path) + (whole.isEmpty ? "" : "?\(whole)"),
      headers: allHeaders(for: call, parts?.headers ?? [], contentType: content?.type),
      body: content?.bytes, timeout: time ?? timeout, mostBytes: mostBytes, network: network,
      allowsPlain: allowsPlain, tls: tls)
  }

  /// Throws an error for arguments that cannot be sent.
  func expectSendable(_ arguments: [HostCall.Argument]) throws(CallFault) {
    let call = HostCall.trial(arguments)
    if hasRequest { _ = try filledURL(for: call) } else { _ = try request(for: call) }
  }

  private func filledURL(
    for call: HostCall
  ) throws(CallFault) -> (path: String, query: String?) {
    try url.filled { (name) throws(CallFault) in try call.text(of: name, in: "the URL") }
  }

  // MARK: Headers

  private func allHeaders(
    for call: HostCall, _ own: [HTTPTaskHeader], contentType: String?
  ) -> [HTTPTaskHeader] {
    var all = own
    func add(_ header: HTTPTaskHeader) {
      if all.value(of: header.name) == nil { all.append(header) }
    }
    headers.forEach(add)
    if let key { add(HTTPTaskHeader(key.header, key.isQuoted ? quoted(call.id) : call.id)) }
    if let contentType { add(HTTPTaskHeader("Content-Type", contentType)) }
    return all
  }

  /// Returns a text as a string of a structured field (RFC 8941).
  private func quoted(_ text: String) -> String {
    "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }

  // MARK: The body

  /// Returns the body with arguments; nil for none.
  private func content(
    of arguments: [HostCall.Argument]
  ) throws(CallFault) -> (bytes: [UInt8], type: String)? {
    switch body {
    case .nothing: return nil
    case .form: return try form(arguments)
    case .json:
      let fields = Dictionary(
        arguments.filter { !$0.value.isNil }.map { ($0.name, $0.value) },
        uniquingKeysWith: { first, _ in first })
      return try json(.record(fields))
    }
  }

  /// Returns the body that the function `request` has made; nil for none.
  private func content(of made: Value) throws(CallFault) -> (bytes: [UInt8], type: String)? {
    if made.isNil { return nil }
    if method == "GET" || method == "HEAD" {
      throw CallFault("request: a \(method) request has no body")
    }
    if forbidsBody {
      throw CallFault(
        "request has returned a body, and body = \"none\" says that there is none: leave one of them out"
      )
    }
    if case .string(let text) = made { return (Array(text.utf8), "text/plain; charset=utf-8") }
    guard body == .form else { return try json(made) }
    guard let fields = made.recordValue else {
      throw CallFault("request: the body of a form must be a table of fields")
    }
    return try form(
      fields.sorted { $0.key < $1.key }.map { HostCall.Argument(name: $0.key, value: $0.value) })
  }

  private func json(_ value: Value) throws(CallFault) -> (bytes: [UInt8], type: String) {
    (Array(try WireJSON.text(value).utf8), "application/json")
  }

  private func form(
    _ arguments: [HostCall.Argument]
  ) throws(CallFault) -> (bytes: [UInt8], type: String) {
    let pairs = try HostCall.pairs(of: arguments).map {
      "\(PercentEncoding.form($0.name))=\(PercentEncoding.form($0.text))"
    }
    return (Array(pairs.joined(separator: "&").utf8), "application/x-www-form-urlencoded")
  }
}
