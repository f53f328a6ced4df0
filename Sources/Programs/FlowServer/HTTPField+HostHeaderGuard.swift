#if Server
  import HTTPTypes
  import Hummingbird
  import Metrics
  import Tracing

  extension HTTPField.Name {
    /// Returns the header name for a text, which must be valid; the fallback behind `??` is never used.
    private static func named(_ text: String) -> HTTPField.Name { HTTPField.Name(text) ?? .accept }

    static let host = named("Host")
    static let requestID = named("X-Request-Id")
    static let traceParent = named("traceparent")
    static let xFrameOptions = named("X-Frame-Options")
    static let referrerPolicy = named("Referrer-Policy")
    package static let idempotencyKey = named("Idempotency-Key")
    package static let lastEventID = named("Last-Event-ID")
  }
#endif
