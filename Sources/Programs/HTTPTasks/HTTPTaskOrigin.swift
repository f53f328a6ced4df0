#if Server
  import Platform

  /// The server of a URL.
  struct HTTPTaskOrigin: Sendable, Hashable {
    /// True for `https`.
    let isEncrypted: Bool
    /// The name, or the address without brackets.
    let host: String
    let port: Int

    /// Reads the server of a URL; nil if that is no absolute one of `http` or `https`, or has a user.
    ///
    /// The host is read as AsyncHTTPClient reads it: it would look up a host of another text by itself.
    init?(_ text: String) {
      guard let url = URL(string: text), let scheme = url.scheme?.lowercased(),
        scheme == "http" || scheme == "https", url.user == nil, let name = url.host
      else { return nil }
      var host = name[...]
      if host.hasPrefix("[") { host = host.dropFirst() }
      if host.hasSuffix("]") { host = host.dropLast() }
      isEncrypted = scheme == "https"
      self.host = String(host)
      port = url.port ?? (isEncrypted ? 443 : 80)
      guard !host.isEmpty, host.utf8.allSatisfy(Self.isOfHost), (1...65_535).contains(port) else {
        return nil
      }
    }

    /// Returns true for a byte of a name or an address.
    private static func isOfHost(_ byte: UInt8) -> Bool {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: ":"):
        true
      default: false
      }
    }
  }
#endif
