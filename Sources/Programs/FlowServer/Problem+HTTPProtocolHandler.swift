#if Server
  import NIOCore
  import NIOHTTP1

  extension Problem {
    /// Creates the answer to bytes that are not a request.
    init(unreadable error: HTTPParserError, inTarget: Bool) {
      switch error {
      case .headerOverflow where inTarget:
        self.init(
          .uriTooLong, "the path and query of a request can have at most \(HTTPLimits.field) bytes")
      case .headerOverflow:
        self.init(
          .requestHeaderFieldsTooLarge,
          "a header can have at most \(HTTPLimits.field) bytes, and \(HTTPLimits.fieldCount) headers together at most "
            + "\(HTTPLimits.allFields)")
      case .invalidVersion:
        self.init(.badRequest, "a request ends its first line with HTTP/1.1, or HTTP/1.0")
      default: self.init(.badRequest, "this is not an HTTP/1.1 request: \(error)")
      }
    }
  }
#endif
