import LuaRuntime

extension HTTPTaskHeader {
  /// The fields that the client sets.
  private static let reserved: Set<String> = [
    "connection", "content-length", "expect", "host", "te", "trailer", "transfer-encoding",
    "upgrade",
  ]

  /// Returns true if this is a field of that name, in upper or lower case.
  func isNamed(_ other: String) -> Bool { name.lowercased() == other.lowercased() }

  /// The reason why the field cannot be sent; nil if it can.
  ///
  /// The value is not in it, since it may be secret.
  var fault: String? {
    let isToken = name.utf8.allSatisfy {
      PercentEncoding.isAlphanumeric($0) || "!#$%&'*+-.^_`|~".utf8.contains($0)
    }
    if name.isEmpty || !isToken { return "\(name) is not a valid name of a header" }
    if HTTPTaskHeader.reserved.contains(name.lowercased()) {
      return "the header \(name) is set by the client"
    }
    if value.utf8.contains(where: { $0 == 10 || $0 == 13 }) {
      return "the header \(name) must not have line breaks"
    }
    if value.utf8.contains(where: { $0 < 32 && $0 != 9 || $0 == 127 }) {
      return "the header \(name) must not have control characters"
    }
    return nil
  }
}

extension [HTTPTaskHeader] {
  /// Returns the value of the first field of that name.
  func value(of name: String) -> String? { first { $0.isNamed(name) }?.value }

  /// The values by their names in lower case; several values of a name are joined by commas.
  package var record: Value {
    var fields: [String: Value] = [:]
    for header in self {
      let name = header.name.lowercased()
      let before = fields[name]?.stringValue.map { $0 + ", " } ?? ""
      fields[name] = .string(before + header.value)
    }
    return .record(fields)
  }

  /// Returns the seconds after which another request makes sense; nil if the fields do not say so.
  ///
  /// - Parameter now: the time in seconds since 1970.
  func retryAfter(now: Double) -> Double? {
    value(of: "Retry-After").flatMap {
      RetryAfter.seconds($0, date: value(of: "Date"), now: now)
    }
  }
}
