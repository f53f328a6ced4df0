import FlowLanguage

#if Server
  import HTTPTypes
  import Hummingbird
  import Logging
  import LuaRuntime
  import NIOCore
  import NIOHTTP1
  import NIOHTTPTypes
  import Synchronization

  /// What Hummingbird carries along with a request: the connection too, to which streams are written.
  package struct ServerContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    let channel: any Channel

    package init(source: ApplicationRequestContextSource) {
      coreContext = CoreRequestContextStorage(source: source)
      channel = source.channel
    }
  }

  /// Where routes are mounted; all below one path, and open to all or to those with a token.
  package struct Routes: Sendable {
    final class Parts: Sendable {
      let options: ServerOptions
      let streams: OpenStreams
      let logger: Logger
      /// By path what was mounted there.
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

    /// The group is no `Sendable`; routes are mounted by one, before anything runs.
    private struct Mounted: @unchecked Sendable { let group: RouterGroup<ServerContext> }

    init(group: RouterGroup<ServerContext>, path: String = "", isOpen: Bool, parts: Parts) {
      (self.group, self.path) = (Mounted(group: group), path)
      (self.isOpen, self.parts) = (isOpen, parts)
    }

    /// Those below a path.
    package func at(_ path: String, open: Bool = false) -> Routes {
      Routes(
        group: group.group.group(RouterPath(path)), path: full(path), isOpen: open, parts: parts)
    }

    /// Answers to GET, and to HEAD.
    ///
    /// - Parameter query: the names that may stand behind the question mark.
    package func get(
      _ path: String, needs: APITokens.Need = .read, query: [String] = [], _ body: @escaping Body
    ) {
      for method in [HTTPRequest.Method.get, .head] {
        on(path, method, needs: needs, query: query, body)
      }
    }

    /// Answers to POST, with JSON or nothing.
    package func post(
      _ path: String, needs: APITokens.Need, query: [String] = [], _ body: @escaping Body
    ) { on(path, .post, needs: needs, query: query, body) }

    private func on(
      _ path: String, _ method: HTTPRequest.Method, needs: APITokens.Need, query: [String],
      _ body: @escaping Body
    ) {
      let (parts, isOpen, full) = (parts, isOpen, full(path))
      let isFirst = parts.methods(at: full).isEmpty
      parts.note(method.rawValue, at: full)
      // What else is asked of a path is told what may be: once, since nothing is mounted twice.
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
          request, context, isOpen: isOpen, needs: needs, parts: parts)
        try call.expectQuery(query)
        return try await body(call)
      }
    }

    /// A request whose sender may ask that, as far as it can be said before its body is read.
    private static func admitted(
      _ request: Request, _ context: ServerContext, isOpen: Bool, needs: APITokens.Need,
      parts: Parts
    ) throws -> Call {
      var caller: APITokens.Caller?
      if !isOpen {
        let authorization = request.headers[.authorization]
        caller = parts.options.tokens.caller(authorization: authorization)
        guard let caller else {
          var problem = Problem.forbidden(
            "a token of this server is needed: Authorization: Bearer TOKEN")
          // Who says nothing of itself is asked; who says something wrong is not asked again.
          if authorization == nil {
            problem.status = .unauthorized
            problem.headers[.wwwAuthenticate] = "Bearer"
          }
          throw problem
        }
        // Which action, the route itself has to see.
        if needs != .anyDispatch, !caller.may(needs) {
          throw Problem.forbidden("this token may not \(needs.text)")
        }
      }
      if request.method == .post {
        if parts.options.isReadOnly, needs != .read {
          throw Problem.forbidden("this server changes nothing: it was started with --read-only")
        }
        try Call.expectJSON(request)
      }
      return Call(request: request, context: context, caller: caller, parts: parts)
    }

    /// Has each path say what may be asked of it, where GET or POST may not: when all is mounted.
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
        .methodNotAllowed, "this path takes \(Names.list(methods)) alone")
      problem.headers[.allow] = methods.joined(separator: ", ")
      return problem
    }
  }

  /// A request that was let in.
  ///
  /// A class, since it is handed on through what waits: each of that would keep it whole.
  package final class Call: Sendable {
    package let request: Request
    let context: ServerContext
    /// Who sends it; nil where no token is asked for.
    package let caller: APITokens.Caller?
    let parts: Routes.Parts

    init(
      request: Request, context: ServerContext, caller: APITokens.Caller?, parts: Routes.Parts
    ) {
      (self.request, self.context) = (request, context)
      (self.caller, self.parts) = (caller, parts)
    }

    /// So many characters an id, or another part of a path, has at most.
    static let longestName = 256

    /// A part of the path, as it was before it was encoded.
    package func parameter(_ name: String) throws -> String {
      guard let text = context.parameters.get(name), let plain = Call.plain(text),
        (1...Call.longestName).contains(plain.unicodeScalars.count), !plain.utf8.contains(0)
      else {
        throw Problem.badRequest(
          "\(name) in the path is no text of UTF-8 with 1 to \(Call.longestName) characters")
      }
      return plain
    }

    /// A value behind the question mark, as a form has it: a blank is `+`, and the rest percent-encoded.
    ///
    /// Nil for one that is not there; the first counts of several.
    package func query(_ name: String) throws -> String? {
      guard let pair = queryPairs.first(where: { Call.formed($0.name) == name }) else { return nil }
      guard let value = Call.formed(pair.value) else {
        throw Problem.badRequest("\(name) behind the question mark is no text of UTF-8")
      }
      return value
    }

    /// The names behind the question mark and their values, still encoded.
    private var queryPairs: [(name: Substring, value: Substring)] {
      (request.uri.query ?? "").utf8.split(separator: UInt8(ascii: "&")).map { pair in
        let sides = pair.split(
          separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false
        ).map(Substring.init)
        return (sides.first ?? "", sides.count > 1 ? sides[1] : "")
      }
    }

    /// Throws unless each name behind the question mark is one of those.
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

    private static func formed(_ text: Substring) -> String? {
      plain(String(text).replacing("+", with: " "))
    }

    /// A text before it was percent-encoded; nil where that is no UTF-8.
    private static func plain(_ text: String) -> String? {
      text.utf8.contains(UInt8(ascii: "%")) ? text.removingPercentEncoding : text
    }

    /// A whole number behind the question mark.
    package func number(_ name: String, in range: ClosedRange<Int>) throws -> Int? {
      guard let text = try query(name) else { return nil }
      guard let number = Int(text), range.contains(number) else {
        throw Problem.badRequest(
          "\(name) is a whole number from \(range.lowerBound) to \(range.upperBound)")
      }
      return number
    }

    /// The numbers that entries may be asked for by: far from where counting on ends.
    package static let seqs = 1...OutsideNumber.counts.upperBound

    /// What a stream said last before it was cut off.
    var lastEventID: String? { request.headers[.lastEventID] }

    /// The same, where it is the number of an entry; nil where it is none.
    package var lastSeq: Int? {
      lastEventID.flatMap { OutsideNumber.integer($0, in: OutsideNumber.counts) }
    }

    /// Who offers an action: as a trusted header says, or the token.
    package var by: String? {
      if let header = parts.options.trustedHeader.flatMap({ HTTPField.Name($0) }),
        let who = request.headers[header], !who.isEmpty
      {
        return who
      }
      return caller?.by
    }

    /// That the token allows something.
    package func expect(_ need: APITokens.Need) throws {
      if caller?.may(need) == false { throw Problem.forbidden("this token may not \(need.text)") }
    }

    /// The body as a value; an empty one is nothing.
    package func body() async throws -> Value {
      let limit = parts.options.longestBody
      if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > limit {
        throw tooLong
      }
      continueIfAsked()
      let buffer: ByteBuffer
      do {
        buffer = try await request.body.collect(upTo: limit)
      } catch is NIOTooManyBytesError {
        throw tooLong
      } catch let error as HTTPParserError {
        throw Problem.badRequest("the body does not come as it was announced: \(error)")
      }
      if buffer.readableBytes == 0 { return .nil }
      guard let text = String(validating: buffer.readableBytesView, as: UTF8.self) else {
        throw Problem.badRequest("the body is no UTF-8")
      }
      do {
        let value = try JSONText.value(of: text)
        if value.isNil { throw Problem.badRequest("the body is null: send an object, or nothing") }
        return value
      } catch let error as JSONText.Malformed {
        throw Problem.badRequest("the body is no JSON: \(error)")
      }
    }

    /// Tells the sender to go on with the body, if it waits for that.
    private func continueIfAsked() {
      guard let expectation = request.headers[.expect], expectation.lowercased() == "100-continue"
      else { return }
      context.channel.writeAndFlush(
        HTTPResponsePart.head(HTTPResponse(status: .continue)), promise: nil)
    }

    /// What an action is offered with: the body, or nothing at all.
    package func payload() async throws -> Value {
      let body = try await body()
      if body.isNil { return [:] }
      guard body.recordValue != nil else {
        throw Problem(.unprocessableContent, "a payload is an object")
      }
      return body
    }

    private var tooLong: Problem {
      Problem(.contentTooLarge, "a body has \(parts.options.longestBody) bytes at most")
    }

    static func expectJSON(_ request: Request) throws {
      guard let type = request.headers[.contentType] else {
        // Nothing at all needs no type.
        if request.headers[.transferEncoding] == nil, request.headers[.contentLength] ?? "0" == "0"
        {
          return
        }
        throw Problem(.unsupportedMediaType, "a body is application/json")
      }
      if type == "application/json" { return }
      let name = type.prefix { $0 != ";" }.lowercased().filter { $0 != " " }
      if name != "application/json" {
        throw Problem(.unsupportedMediaType, "a body is application/json, not \(name)")
      }
    }

    /// A stream of events that `body` sends, until it returns, the listener goes or the server ends.
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
