import LuaRuntime

/// The parts of a request that the function `request` of a capability returns.
struct HTTPRequestParts: Sendable {
  let query: [HostCall.Argument]
  let headers: [HTTPTaskHeader]
  /// The body: a text that is sent as it is, or a table; `.nil` for none.
  let body: Value

  private static let names: Set<String> = ["body", "headers", "query"]

  /// Reads what the function has returned.
  init(_ value: Value) throws(CallFault) {
    guard let fields = value.recordValue else {
      throw CallFault(
        "request must return a table { query = ..., headers = ..., body = ... }, not \(value.kindName)"
      )
    }
    for name in fields.keys.sorted() where !HTTPRequestParts.names.contains(name) {
      throw CallFault("request must return query, headers and body; it has returned \(name)")
    }
    query = try HTTPRequestParts.fields(of: value, "query").map {
      HostCall.Argument(name: $0.name, value: $0.value)
    }
    var headers: [HTTPTaskHeader] = []
    for field in try HTTPRequestParts.fields(of: value, "headers") {
      let text = try HostCall.text(of: field.value, named: "the header \(field.name)")
      let header = HTTPTaskHeader(field.name, text)
      if let fault = header.fault { throw CallFault("request: \(fault)") }
      headers.append(header)
    }
    self.headers = headers
    body = value["body"] ?? .nil
  }

  private static func fields(
    of value: Value, _ name: String
  ) throws(CallFault) -> [(name: String, value: Value)] {
    guard let given = value[name], !given.isNil else { return [] }
    guard let fields = given.recordValue else {
      throw CallFault("request: \(name) must be a table of values by name, not \(given.kindName)")
    }
    return fields.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
  }
}
