#if Server
  import NIOCore
  import NIOHTTP1

  extension Problem {
    /// Creates the answer to bytes that are not a request.
    init(unreadable error: HTTPParserError, inTarget: Bool) {
      switch error {
      case .headerOverflow where inTarget:
        self.init(
          .uriTooLong, "the path of a request and its query have \(HTTPLimits.field) bytes at most")
      case .headerOverflow:
        self.init(
          .requestHeaderFieldsTooLarge,
          "a header has \(HTTPLimits.field) bytes at most, and all \(HTTPLimits.fieldCount) at most have "
            + "\(HTTPLimits.allFields)")
      case .invalidVersion:
        self.init(.badRequest, "a request ends its first line with HTTP/1.1, or HTTP/1.0")
      default: self.init(.badRequest, "this is no request of HTTP/1.1: \(error)")
      }
    }
  }
#endif
