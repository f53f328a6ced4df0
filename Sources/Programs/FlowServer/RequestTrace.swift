#if Server
  import HTTPTypes
  import Instrumentation

  /// The id of one request in log lines and responses.
  enum RequestTrace {
    /// Returns the trace id of the header `traceparent` (W3C Trace Context), or else a new random id.
    static func id(of headers: HTTPFields) -> String {
      headers[.traceParent].flatMap(traceID) ?? APITokens.random()
    }

    /// Returns the 32 digits of a trace id; nil for a malformed header, and for the id of zeros, which is invalid.
    static func traceID(in header: String) -> String? {
      let parts = header.split(separator: "-", omittingEmptySubsequences: false)
      guard parts.count >= 4, isHexadecimal(parts[0], 2), parts[0] != "ff",
        isHexadecimal(parts[1], 32), isHexadecimal(parts[2], 16), isHexadecimal(parts[3], 2),
        parts[0] != "00" || parts.count == 4, parts[1].contains(where: { $0 != "0" })
      else { return nil }
      return String(parts[1])
    }

    private static func isHexadecimal(_ text: Substring, _ length: Int) -> Bool {
      text.utf8.count == length
        && text.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    }
  }

  /// A reader of the headers that carry a trace.
  struct HeaderExtractor: Extractor {
    func extract(key: String, from headers: HTTPFields) -> String? {
      HTTPField.Name(key).flatMap { headers[$0] }
    }
  }
#endif
