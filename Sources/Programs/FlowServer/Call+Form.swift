#if Server
  import LuaRuntime

  extension Call {
    /// Returns the names and values of a form or a query, still encoded.
    static func pairs(ofForm text: String) -> [(name: Substring, value: Substring)] {
      text.utf8.split(separator: UInt8(ascii: "&")).map { pair in
        let sides = pair.split(
          separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false
        ).map(Substring.init)
        return (sides.first ?? "", sides.count > 1 ? sides[1] : "")
      }
    }

    /// Returns a form or a query as a record of texts; nil if it is not UTF-8.
    ///
    /// A name that occurs several times has a list of texts.
    static func record(ofForm text: String) -> Value? {
      var fields: [String: [Value]] = [:]
      for pair in pairs(ofForm: text) {
        guard let name = formed(pair.name), let value = formed(pair.value) else { return nil }
        fields[name, default: []].append(.string(value))
      }
      return .record(fields.mapValues { $0.count == 1 ? $0[0] : .list($0) })
    }
  }
#endif
