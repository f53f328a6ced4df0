#if Server
  import HTTPTypes
  import Instrumentation

  /// The name by which log lines and clients speak of one request.
  enum RequestTrace {
    /// The trace that the header `traceparent` names (W3C Trace Context), or else a name of its own.
    static func id(of headers: HTTPFields) -> String {
      headers[.traceParent].flatMap(traceID) ?? APITokens.random()
    }

    /// The 32 digits of a trace; nil for a header of another form, and for the trace that is none.
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

  /// Reads the headers in which a trace comes along.
  struct HeaderExtractor: Extractor {
    func extract(key: String, from headers: HTTPFields) -> String? {
      HTTPField.Name(key).flatMap { headers[$0] }
    }
  }
#endif
