import LuaRuntime

/// A URL with placeholders such as `{currency}` in its path and query.
///
/// Scheme, host and port come from the host file alone: values of a flow change nothing there.
struct URLTemplate: Sendable {
  enum Part: Sendable, Hashable {
    case text(String)
    case placeholder(String)
  }

  /// Scheme, host and port.
  let origin: String
  /// The host's name or address; nil if the URL begins with the name of a variable.
  let host: String?
  private let path: [Part]
  /// The parts after the question mark; nil if there is none.
  private let query: [Part]?

  /// The names of the placeholders, in order.
  var placeholders: [String] {
    (path + (query ?? [])).compactMap { part -> String? in
      guard case .placeholder(let name) = part else { return nil }
      return name
    }
  }

  /// True for `http:`, without TLS.
  var isPlain: Bool { origin.lowercased().hasPrefix("http://") }

  /// Reads a URL.
  ///
  /// - Parameter hasNames: true if `$NAME` stands for texts that were not read.
  init(_ url: String, hasNames: Bool) throws(CallFault) {
    if url.utf8.contains(UInt8(ascii: "#")) { throw CallFault("the URL has a fragment (#)") }
    let start: Substring
    if hasNames, url.hasPrefix("$") {
      start = url[...]
      host = nil
    } else {
      guard let scheme = URLTemplate.scheme(of: url) else {
        // It may be a secret, of which a part would be shown if it was cut here.
        throw CallFault("the URL must begin with https:// or http://, got \"\(url)\"")
      }
      start = url[...].dropFirst(scheme.count)
      let authority = start.prefix { !"/?".contains($0) }
      if let name = authority.firstIndex(of: "{") {
        throw CallFault(
          "\(authority[name...]) stands in the host: placeholders stand in path and query only")
      }
      host = try URLTemplate.host(in: authority, hasNames: hasNames)
    }
    let rest = start.drop { !"/?".contains($0) && !(hasNames && $0 == "{") }
    origin = String(url[..<rest.startIndex])
    let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    path = try URLTemplate.parts(of: parts.first ?? "", allowing: "/")
    query = parts.count > 1 ? try URLTemplate.parts(of: parts[1], allowing: "/?") : nil
    try URLTemplate.expectNoDots(in: parts.first ?? "")
  }

  private static func scheme(of url: String) -> String? {
    ["https://", "http://"].first { url.lowercased().hasPrefix($0) }
  }

  // MARK: The host

  private static func host(
    in authority: Substring, hasNames: Bool
  ) throws(CallFault) -> String {
    if authority.contains("@") {
      throw CallFault("the URL has a user's name: use headers = { Authorization = ... }")
    }
    var host = authority
    var port: Substring?
    if authority.hasPrefix("[") {
      guard let end = authority.firstIndex(of: "]") else {
        throw CallFault("the address of the URL's host has no ]")
      }
      host = authority[...end]
      let rest = authority[authority.index(after: end)...]
      if !rest.isEmpty {
        guard rest.hasPrefix(":") else { throw CallFault("\(rest) follows the URL's host") }
        port = rest.dropFirst()
      }
    } else if let colon = authority.firstIndex(of: ":") {
      host = authority[..<colon]
      port = authority[authority.index(after: colon)...]
    }
    if host.isEmpty { throw CallFault("the URL has no host") }
    let allowed = host.hasPrefix("[") ? "[]:.%" : hasNames ? "-._$" : "-._"
    for byte in host.utf8
    where !PercentEncoding.isAlphanumeric(byte) && !allowed.utf8.contains(byte) {
      throw CallFault(
        "the URL's host has the character \(shown(byte)); write an international name in its ASCII form"
      )
    }
    if let port, !(hasNames && port.hasPrefix("$")) {
      guard port.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(port),
        (1...65_535).contains(number)
      else { throw CallFault("the URL's port must be a number from 1 to 65535, got \(port)") }
    }
    return String(host)
  }

  // MARK: Path and query

  private static func parts(
    of text: Substring, allowing more: String
  ) throws(CallFault) -> [Part] {
    var parts: [Part] = []
    var rest = text
    while !rest.isEmpty {
      let plain = rest.prefix { $0 != "{" }
      try expectEncoded(plain, allowing: more)
      if !plain.isEmpty { parts.append(.text(String(plain))) }
      rest = rest[plain.endIndex...]
      guard rest.hasPrefix("{") else { continue }
      guard let end = rest.firstIndex(of: "}") else {
        throw CallFault("the URL has { without }: a placeholder is an argument's name in braces")
      }
      let name = String(rest[rest.index(after: rest.startIndex)..<end])
      guard Value.isName(name) else {
        throw CallFault(
          "{\(name)} in the URL is no placeholder: write an argument's name in braces")
      }
      parts.append(.placeholder(name))
      rest = rest[rest.index(after: end)...]
    }
    return parts
  }

  private static func expectEncoded(
    _ text: Substring, allowing more: String
  ) throws(CallFault) {
    let bytes = Array(text.utf8)
    for (place, byte) in bytes.enumerated() {
      if byte == UInt8(ascii: "%") {
        guard PercentEncoding.byte(bytes[(place + 1)...].prefix(2)) != nil else {
          throw CallFault(
            "% in the URL must be followed by two hexadecimal digits; % itself is %25")
        }
      } else if !PercentEncoding.isAlphanumeric(byte), !"-._~!$&'()*+,;=:@".utf8.contains(byte),
        !more.utf8.contains(byte)
      {
        throw CallFault(
          "the URL has the character \(shown(byte)), which must be percent-encoded")
      }
    }
  }

  private static func shown(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16, uppercase: true)
    return (0x21...0x7e).contains(byte)
      ? String(Unicode.Scalar(byte)) : "%" + (digits.count < 2 ? "0" : "") + digits
  }

  /// Throws if a segment of a path leads to the folder itself or to the one above.
  private static func expectNoDots(in path: some StringProtocol) throws(CallFault) {
    for segment in path.split(separator: "/") {
      let plain = segment.lowercased().replacing("%2e", with: ".")
      if plain == "." || plain == ".." {
        throw CallFault("the path must not have \(plain) as a segment")
      }
    }
  }

  // MARK: Filling in

  /// Returns the path and the query with percent-encoded values in place of the placeholders.
  ///
  /// - Parameter text: returns the value of a placeholder.
  /// - Throws: the errors of `text`; an error for a value that would change which segments the path has.
  func filled(
    _ text: (String) throws(CallFault) -> String
  ) throws(CallFault) -> (path: String, query: String?) {
    var filledPath = ""
    for part in path {
      switch part {
      case .text(let fixed): filledPath += fixed
      case .placeholder(let name):
        let value = try text(name)
        if value.isEmpty { throw CallFault("\(name) stands in the path, and is empty") }
        filledPath += PercentEncoding.encoded(value)
      }
    }
    try URLTemplate.expectNoDots(in: filledPath)
    guard let query else { return (filledPath, nil) }
    var filledQuery = ""
    for part in query {
      switch part {
      case .text(let fixed): filledQuery += fixed
      case .placeholder(let name): filledQuery += PercentEncoding.encoded(try text(name))
      }
    }
    return (filledPath, filledQuery)
  }
}
