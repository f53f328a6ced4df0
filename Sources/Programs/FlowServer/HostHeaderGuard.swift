#if Server
  import HTTPTypes
  import Hummingbird
  import Logging
  import Metrics
  import Platform
  import Tracing

  /// A check that a request calls the server by a known name, from a page of its own or from no page.
  ///
  /// A foreign page in a browser can make its own name resolve to this address (DNS rebinding). `Host` and `Origin` are
  /// equal then, so both must be known names.
  final class HostHeaderGuard: Sendable {
    private let names: Mutex<(port: Int, hosts: Set<String>)>
    private let options: ServerOptions

    init(_ options: ServerOptions) {
      self.options = options
      names = Mutex((0, Set(options.names)))
    }

    var port: Int { names.withLock(\.port) }

    func listen(at port: Int) {
      names.withLock {
        $0.port = port
        for host in ["127.0.0.1", "localhost", "[::1]"] { $0.hosts.insert("\(host):\(port)") }
        let bound = options.host.contains(":") ? "[\(options.host)]" : options.host
        if bound != "0.0.0.0", bound != "[::]" { $0.hosts.insert("\(bound):\(port)") }
      }
    }

    /// Returns the reason to refuse a request; nil if there is none.
    func refusal(of head: HTTPRequest) -> Problem? {
      guard let host = head.authority else {
        return .badRequest("the Host header is missing: a request must name its server")
      }
      // The first one is the authority; any other one could contradict it.
      if head.headerFields.contains(.host) {
        return .badRequest("there is more than one Host header: a request must have one")
      }
      let origin = head.headerFields[.origin]
      return names.withLock { names in
        guard names.hosts.contains(host) else {
          return .forbidden("Host is not a name of this server: --name adds one")
        }
        if let origin {
          guard let end = origin.range(of: "://"),
            ["http", "https"].contains(origin[..<end.lowerBound]),
            names.hosts.contains(String(origin[end.upperBound...]))
          else { return .forbidden("Origin is not a page of this server") }
        }
        return nil
      }
    }
  }

  /// A responder that does what is common to all routes, in one step.
  struct GuardedResponder<Inner: HTTPResponder>: HTTPResponder
  where Inner.Context == ServerContext {
    let inner: Inner
    let gate: HostHeaderGuard
    let meters: ServerMeters
    let logger: Logger

    /// True if a tracer is installed; without one, spans would cost each request for nothing.
    let isTraced = !(InstrumentationSystem.tracer is NoOpTracer)

    // The task of a connection keeps the stack memory of its deepest call for as long as a stream lasts, and there may
    // be thousands of streams. So the route of a stream is found in a task of its own, and this function does nothing
    // else.
    func respond(to request: Request, context: ServerContext) async throws -> Response {
      let begun = ContinuousClock.now
      do {
        if let refusal = gate.refusal(of: request.head) { throw refusal }
        let response =
          request.uri.path.hasSuffix("/events")
          ? try await Task { try await answer(to: request, context) }.value
          : try await answer(to: request, context)
        return finished(explained(response, request), of: request, context, begun)
      } catch {
        let problem = Problem(error)
        return finished(
          problem.response, of: request, context, begun, why: problem.logged ?? problem.why)
      }
    }

    private func answer(
      to request: Request, _ context: ServerContext
    ) async throws -> Response {
      isTraced
        ? try await traced(request, context)
        : try await inner.respond(to: request, context: context)
    }

    private func traced(_ request: Request, _ context: ServerContext) async throws -> Response {
      var traced = ServiceContext.current ?? .topLevel
      InstrumentationSystem.instrument.extract(
        request.headers, into: &traced, using: HeaderExtractor())
      return try await withSpan("http", context: traced, ofKind: .server) { span in
        span.attributes["http.request.method"] = request.method.rawValue
        let response = try await inner.respond(to: request, context: context)
        span.attributes["http.route"] = context.endpointPath ?? ""
        span.attributes["http.response.status_code"] = response.status.code
        return response
      }
    }

    /// Returns the response with our problem+json text if there is no such route.
    private func explained(_ response: Response, _ request: Request) -> Response {
      guard response.status == .notFound || response.status == .methodNotAllowed,
        response.headers[.contentType]?.hasPrefix("application/problem+json") != true
      else { return response }
      return Problem(
        response.status, "there is nothing at \(request.uri.path) for \(request.method.rawValue)"
      ).response
    }

    /// Returns the response with the headers that all responses have; counts and logs it.
    private func finished(
      _ response: Response, of request: Request, _ context: ServerContext,
      _ begun: ContinuousClock.Instant, why: String? = nil
    ) -> Response {
      var response = response
      let isOurs = response.status.code >= 500
      let id = isOurs || logger.logLevel <= .info ? RequestTrace.id(of: request.headers) : ""
      if isOurs {
        response.headers.append(HTTPField(name: .requestID, value: id))
        logger.error("failed", metadata: failure(response, request, why, id))
      }
      response.headers.append(HTTPField(name: .xFrameOptions, value: "DENY"))
      response.headers.append(HTTPField(name: .referrerPolicy, value: "no-referrer"))
      let time = ContinuousClock.now - begun
      let route = context.endpointPath ?? "none"
      // The answer to HEAD keeps the length, and no stream is started.
      if request.method == .head {
        let length = response.headers[.contentLength]
        response = response.createHeadResponse()
        response.headers[.contentLength] = length
      }
      meters.answered(route, request.method.rawValue, response.status.code, in: time)
      if logger.logLevel <= .info {
        logger.info(
          "answered",
          metadata: [
            "method": "\(request.method.rawValue)", "route": "\(route)",
            "status": "\(response.status.code)", "microseconds": "\(time / .microseconds(1))",
            "request": "\(id)",
          ])
      }
      return response
    }

    /// Returns the log metadata of a response with an error that is the server's.
    private func failure(
      _ response: Response, _ request: Request, _ why: String?, _ id: String
    ) -> Logger.Metadata {
      var line: Logger.Metadata = [
        "method": "\(request.method.rawValue)", "path": "\(request.uri.path)",
        "status": "\(response.status.code)", "request": "\(id)",
        "why": "\(why ?? response.status.reasonPhrase)",
      ]
      let parts = request.uri.path.split(separator: "/")
      if let cases = parts.firstIndex(of: "cases"), parts.indices.contains(cases + 1) {
        line["case"] = "\(parts[cases + 1].removingPercentEncoding ?? String(parts[cases + 1]))"
      }
      return line
    }
  }

#endif
