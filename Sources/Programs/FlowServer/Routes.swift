import FlowLanguage

#if Server
  import HTTPTypes
  import Hummingbird
  import Logging
  import LuaRuntime
  import NIOCore
  import NIOHTTP1
  import NIOHTTPTypes
  import Platform

  /// The context that Hummingbird passes along with a request; it has the connection, for event streams.
  package struct ServerContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    let channel: any Channel

    package init(source: ApplicationRequestContextSource) {
      coreContext = CoreRequestContextStorage(source: source)
      channel = source.channel
    }
  }

  /// The routes below one path, which are open to all or only to those with a token.
  package struct Routes: Sendable {
    final class Parts: Sendable {
      let options: ServerOptions
      let streams: OpenStreams
      let logger: Logger
      /// The methods that are mounted, by path.
      private let methods = Mutex<[String: Set<String>]>([:])

      init(options: ServerOptions, streams: OpenStreams, logger: Logger) {
        (self.options, self.streams, self.logger) = (options, streams, logger)
      }

      func note(_ method: String, at path: String) {
        _ = methods.withLock { $0[path, default: []].insert(method) }
      }

      func all() -> [String: Set<String>] { methods.withLock { $0 } }

      func methods(at path: String) -> [String] { methods.withLock { $0[path] ?? [] }.sorted() }
    }

    private let group: Mounted
    private let path: String
    private let isOpen: Bool
    private let parts: Parts
    package typealias Body = @Sendable (Call) async throws -> Response

    /// A box for the group, which is not `Sendable`: routes are mounted one after the other, before anything runs.
    private struct Mounted: @unchecked Sendable { let group: RouterGroup<ServerContext> }

    init(group: RouterGroup<ServerContext>, path: String = "", isOpen: Bool, parts: Parts) {
      (self.group, self.path) = (Mounted(group: group), path)
      (self.isOpen, self.parts) = (isOpen, parts)
    }

    /// Returns the routes below a path.
    package func at(_ path: String, open: Bool = false) -> Routes {
      Routes(
        group: group.group.group(RouterPath(path)), path: full(path), isOpen: open, parts: parts)
    }

    /// Mounts a route for GET and HEAD.
    ///
    /// - Parameter query: the allowed names of query parameters.
    package func get(
      _ path: String, needs: APITokens.Need = .read, query: [String] = [], _ body: @escaping Body
    ) {
      for method in [HTTPRequest.Method.get, .head] {
        on(path, method, needs: needs, query: query, body)
      }
    }

    /// Mounts a route for POST, with a body of JSON or none.
    package func post(
      _ path: String, needs: APITokens.Need, query: [String] = [], _ body: @escaping Body
    ) { on(path, .post, needs: needs, query: query, body) }

    /// Mounts a route for POST with a body of any type and with any query.
    func postAnything(_ path: String, needs: APITokens.Need, _ body: @escaping Body) {
      on(path, .post, needs: needs, query: nil, takesJSON: false, body)
    }

    private func on(
      _ path: String, _ method: HTTPRequest.Method, needs: APITokens.Need, query: [String]?,
      takesJSON: Bool = true, _ body: @escaping Body
    ) {
      let (parts, isOpen, full) = (parts, isOpen, full(path))
      let isFirst = parts.methods(at: full).isEmpty
      parts.note(method.rawValue, at: full)
      // Other methods are answered with the allowed ones; only once, because a route must not be mounted twice.
      if isFirst {
        let others = [HTTPRequest.Method.put, .patch, .delete, .options, .trace, .connect]
        for other in others + [HTTPRequest.Method("QUERY")].compactMap(\.self) {
          group.group.on(RouterPath(path), method: other) { _, _ -> Response in
            throw Routes.notAllowed(parts.methods(at: full))
          }
        }
      }
      group.group.on(RouterPath(path), method: method) { request, context in
        let call = try Routes.admitted(
          request, context, isOpen: isOpen, needs: needs, takesJSON: takesJSON, parts: parts)
        if let query { try call.expectQuery(query) }
        return try await body(call)
      }
    }

    /// Returns the call if its sender has the right, as far as that can be decided before the body is read.
    private static func admitted(
      _ request: Request, _ context: ServerContext, isOpen: Bool, needs: APITokens.Need,
      takesJSON: Bool, parts: Parts
    ) throws -> Call {
      var caller: APITokens.Caller?
      if !isOpen {
        let authorization = request.headers[.authorization]
        caller = parts.options.tokens.caller(authorization: authorization)
        guard let caller else {
          var problem = Problem.forbidden(
            "a token of this server is needed: Authorization: Bearer TOKEN")
          // A request without a token is asked for one (401); a request with a wrong token is not asked again.
          if authorization == nil {
            problem.status = .unauthorized
            problem.headers[.wwwAuthenticate] = "Bearer"
          }
          throw problem
        }
        // The route itself checks the right to dispatch a specific action, or to work on a specific queue.
        if needs != .anyDispatch, needs != .anyWork, !caller.may(needs) {
          throw Problem.forbidden("this token may not \(needs.text)")
        }
      }
      if request.method == .post {
        if parts.options.isReadOnly, needs != .read {
          throw Problem.forbidden("this server changes nothing: it was started with --read-only")
        }
        if takesJSON { try Call.expectJSON(request) }
      }
      return Call(request: request, context: context, caller: caller, parts: parts)
    }

    /// Makes each path answer GET, HEAD and POST with the allowed methods if they are not mounted; called last.
    func close() {
      for (path, methods) in parts.all() {
        for other in [HTTPRequest.Method.get, .head, .post] where !methods.contains(other.rawValue)
        {
          group.group.on(RouterPath(path), method: other) { _, _ -> Response in
            throw Routes.notAllowed(methods.sorted())
          }
        }
      }
    }

    private func full(_ path: String) -> String {
      (self.path.split(separator: "/") + path.split(separator: "/")).joined(separator: "/")
    }

    private static func notAllowed(_ methods: [String]) -> Problem {
      var problem = Problem(
        .methodNotAllowed, "this path accepts only \(Names.list(methods))")
      problem.headers[.allow] = methods.joined(separator: ", ")
      return problem
    }
  }

  /// A request that was admitted.
  ///
  /// It is a class, because it is passed through asynchronous calls, each of which would keep a whole copy.
  package final class Call: Sendable {
    package let request: Request
    let context: ServerContext
    /// The sender; nil if no token is required.
    package let caller: APITokens.Caller?
    let parts: Routes.Parts

    init(
      request: Request, context: ServerContext, caller: APITokens.Caller?, parts: Routes.Parts
    ) {
      (self.request, self.context) = (request, context)
      (self.caller, self.parts) = (caller, parts)
    }

    /// The maximum length of an id, or of another part of a path, in characters.
    static let longestName = 256

    /// Returns a part of the path, percent-decoded.
    package func parameter(_ name: String) throws -> String {
      guard let text = context.parameters.get(name), let plain = Call.plain(text),
        (1...Call.longestName).contains(plain.unicodeScalars.count), !plain.utf8.contains(0)
      else {
        throw Problem.badRequest(
          "\(name) in the path must be UTF-8 text of 1 to \(Call.longestName) characters")
      }
      return plain
    }

    /// Returns the value of a query parameter, form-decoded: `+` is a blank, and the rest is percent-encoded.
    ///
    /// Returns nil if it is missing. If there are several, the first counts.
    package func query(_ name: String) throws -> String? {
      guard let pair = queryPairs.first(where: { Call.formed($0.name) == name }) else { return nil }
      guard let value = Call.formed(pair.value) else {
        throw Problem.badRequest("the query parameter \(name) is not UTF-8 text")
      }
      return value
    }

    /// The names and values of the query, still encoded.
    private var queryPairs: [(name: Substring, value: Substring)] {
      Call.pairs(ofForm: request.uri.query ?? "")
    }

    /// Throws unless each query parameter has one of these names.
    func expectQuery(_ known: [String]) throws {
      if request.uri.query == nil { return }
      for pair in queryPairs {
        let name = Call.formed(pair.name) ?? String(pair.name)
        if known.contains(name) { continue }
        let takes = known.isEmpty ? "none" : Names.list(known)
        throw Problem.badRequest(
          "there is no query parameter \(name) here\(Names.suggestion(for: name, among: known)); this path takes \(takes)"
        )
      }
    }

    static func formed(_ text: Substring) -> String? {
      plain(String(text).replacing("+", with: " "))
    }

    /// Returns a text percent-decoded; nil if the result is not UTF-8.
    private static func plain(_ text: String) -> String? {
      text.utf8.contains(UInt8(ascii: "%")) ? text.removingPercentEncoding : text
    }

    /// Returns a query parameter as an integer; nil if it is missing.
    package func number(_ name: String, in range: ClosedRange<Int>) throws -> Int? {
      guard let text = try query(name) else { return nil }
      guard let number = Int(text), range.contains(number) else {
        throw Problem.badRequest(
          "\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound)")
      }
      return number
    }

    /// The valid numbers of entries in requests, well below the limit where counting overflows.
    package static let seqs = 1...OutsideNumber.counts.upperBound

    /// The id of the last event that a listener received before its stream was cut off.
    var lastEventID: String? { request.headers[.lastEventID] }

    /// The number of the last entry that a listener received; nil if `Last-Event-ID` is none.
    package var lastSeq: Int? {
      lastEventID.flatMap { OutsideNumber.integer($0, in: OutsideNumber.counts) }
    }

    /// The author of a dispatch: from the trusted header, or else from the token.
    package var by: String? {
      if let header = parts.options.trustedHeader.flatMap({ HTTPField.Name($0) }),
        let who = request.headers[header], !who.isEmpty
      {
        return who
      }
      return caller?.by
    }

    /// Throws unless the token has the right.
    package func expect(_ need: APITokens.Need) throws {
      if caller?.may(need) == false { throw Problem.forbidden("this token may not \(need.text)") }
    }

    /// Returns the bytes of the body.
    ///
    /// - Parameters:
    ///   - most: the greatest size, if that is more than the server's own limit.
    ///   - problem: the problem of a larger body; nil for the usual one.
    func bytes(upTo most: Int = 0, _ problem: Problem? = nil) async throws -> ByteBuffer {
      let limit = max(parts.options.longestBody, most)
      let tooLong = {
        problem ?? Problem(.contentTooLarge, "a body has \(limit) bytes at most")
      }
      if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > limit {
        throw tooLong()
      }
      continueIfAsked()
      do {
        return try await request.body.collect(upTo: limit)
      } catch is NIOTooManyBytesError {
        throw tooLong()
      } catch let error as HTTPParserError {
        throw Problem.badRequest("the body does not match its headers: \(error)")
      }
    }

    /// Returns the body as a value; nil for an empty body.
    package func body() async throws -> Value { try await body(upTo: 0, nil) }

    /// Returns a body that may be larger than others.
    ///
    /// - Parameters: those of `bytes`.
    func body(upTo most: Int, _ problem: Problem?) async throws -> Value {
      let buffer = try await bytes(upTo: most, problem)
      if buffer.readableBytes == 0 { return .nil }
      guard let text = String(validating: buffer.readableBytesView, as: UTF8.self) else {
        throw Problem.badRequest("the body is not UTF-8")
      }
      do {
        let value = try JSONText.value(of: text)
        if value.isNil { throw Problem.badRequest("the body is null: send an object, or nothing") }
        return value
      } catch let error as JSONText.Malformed {
        throw Problem.badRequest("the body is not JSON: \(error)")
      }
    }

    /// Sends status 100 if the sender waits for it before it sends the body.
    private func continueIfAsked() {
      guard let expectation = request.headers[.expect], expectation.lowercased() == "100-continue"
      else { return }
      context.channel.writeAndFlush(
        HTTPResponsePart.head(HTTPResponse(status: .continue)), promise: nil)
    }

    /// Returns the payload of an action: the body, or an empty record.
    package func payload() async throws -> Value {
      let body = try await body()
      if body.isNil { return [:] }
      guard body.recordValue != nil else {
        throw Problem(.unprocessableContent, "a payload must be an object")
      }
      return body
    }

    static func expectJSON(_ request: Request) throws {
      guard let type = request.headers[.contentType] else {
        // An empty body needs no type.
        if request.headers[.transferEncoding] == nil, request.headers[.contentLength] ?? "0" == "0"
        {
          return
        }
        throw Problem(.unsupportedMediaType, "a body must be application/json")
      }
      if type == "application/json" { return }
      let name = type.prefix { $0 != ";" }.lowercased().filter { $0 != " " }
      if name != "application/json" {
        throw Problem(.unsupportedMediaType, "a body must be application/json, not \(name)")
      }
    }

    /// Returns a stream of the events that `body` sends, until it returns, the listener leaves or the server ends.
    package func events(
      _ body: @escaping @Sendable (EventSink) async throws -> Void
    ) -> Response {
      let (channel, streams, logger) = (context.channel, parts.streams, parts.logger)
      return .events { writer in
        let sink = EventSink(channel, streams.unsent)
        try await sink.heartbeat()
        let task = Task { try await body(sink) }
        let number = streams.add { task.cancel() }
        channel.closeFuture.whenComplete { _ in task.cancel() }
        let result = await task.result
        streams.remove(number)
        sink.stop()
        if case .failure(let error) = result, channel.isActive, !(error is CancellationError) {
          logger.debug("a stream ended", metadata: ["why": "\(error)"])
          try? await sink.send(JSONText.text(["why": .string(Problem(error).why)]), event: "error")
        }
        try await writer.finish(nil)
      }
    }
  }

#endif
