#if Server
  import NIOCore
  import NIOHTTPTypes
  import NIOHTTPTypesHTTP1

  /// A channel handler that ends requests that arrive too slowly, and silent connections.
  ///
  /// The time of a request begins with its first byte, which a second handler at the front of the pipeline reports, and
  /// ends with its last part. A connection is idle while no request arrives and none is being answered. A connection
  /// that has shown a token is left to Hummingbird's own timeout. One timer handles all of that: it checks now and
  /// then, so that most requests cost no timer, and a stream costs none at all.
  final class RequestDeadline: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// The error of a request that took too long to arrive.
    struct Passed: Error {}

    /// The minimum time for which a connection may be silent, also if others wait for its place.
    private static let leastIdle = TimeAmount.milliseconds(500)
    private let time: TimeAmount
    private let idle: TimeAmount
    /// Returns true if a header `Authorization` has a token of this server.
    private let isKnown: @Sendable (_ authorization: String) -> Bool
    /// The time at which the arriving request began.
    private var begun: NIODeadline?
    /// The time since which nothing has arrived and nothing was answered.
    private var idleSince = NIODeadline.now()
    private var answering = 0
    private var timer: Scheduled<Void>?
    private var context: ChannelHandlerContext?
    /// True once the head has arrived: from then on a route can answer.
    private var hasHead = false
    /// The token of the newest request, until it must be checked.
    private var authorization: String?
    private var hasShownToken = false

    init(_ options: ServerOptions) {
      (time, idle) = (TimeAmount(options.timeToSend), TimeAmount(options.idleTime))
      isKnown = { [tokens = options.tokens] in tokens.caller(authorization: $0) != nil }
    }

    func handlerAdded(context: ChannelHandlerContext) {
      self.context = context
      let front = HeadTimeoutHandler(self)
      let pipeline = context.pipeline.syncOperations
      try? pipeline.addHandler(front, position: .first)
      if let codec = try? pipeline.handler(type: HTTP1ToHTTPServerCodec.self) {
        try? pipeline.addHandler(HTTPProtocolHandler(front), position: .before(codec))
      }
      // Most requests are short, and a connection keeps its read buffer.
      try? context.channel.syncOptions?.setOption(
        .recvAllocator,
        value: AdaptiveRecvByteBufferAllocator(minimum: 512, initial: 512, maximum: 65_536))
      lookLater(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) { stop() }

    func channelInactive(context: ChannelHandlerContext) {
      stop()
      context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      switch unwrapInboundIn(data) {
      case .head(let head):
        hasHead = true
        answering += 1
        if !hasShownToken { authorization = head.headerFields[.authorization] }
      case .body: break
      case .end:
        hasHead = false
        begun = nil
      }
      context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
      if case .end = unwrapOutboundIn(data) {
        answering = max(0, answering - 1)
        idleSince = .now()
        lookLater(context)
      }
      context.write(data, promise: promise)
    }

    /// Closes a silent connection if another one waits for its place.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
      guard event is ConnectionLimit.RoomNeeded else {
        return context.fireUserInboundEventTriggered(event)
      }
      guard !hasHead, answering == 0, !isTrusted(),
        (begun ?? idleSince) + RequestDeadline.leastIdle <= .now()
      else { return }
      context.close(promise: nil)
    }

    /// Starts the time of a request if none is arriving.
    ///
    /// - Returns: true if a request begins with these bytes.
    fileprivate func bytesCame() -> Bool {
      guard begun == nil, let context else { return false }
      begun = .now()
      lookLater(context)
      return true
    }

    private func lookLater(_ context: ChannelHandlerContext) {
      if timer == nil { look(in: begun == nil ? min(time, idle) : time, context) }
    }

    private func look(in time: TimeAmount, _ context: ChannelHandlerContext) {
      let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
      timer = context.eventLoop.scheduleTask(in: time) { bound.value.look() }
    }

    private func look() {
      timer = nil
      guard let context, let end = nextDeadline else { return }
      let rest = end - .now()
      if rest > .zero { return look(in: min(rest, time), context) }
      // The route that waits for the body answers with the error; without a head there is no route.
      if begun != nil { context.fireErrorCaught(Passed()) }
      begun = nil
      if !hasHead { context.close(promise: nil) }
    }

    /// The next deadline; nil while a request is answered, and for connections that have shown a token.
    private var nextDeadline: NIODeadline? {
      if let begun { return begun + time }
      return answering > 0 || isTrusted() ? nil : idleSince + idle
    }

    private func isTrusted() -> Bool {
      if let authorization, isKnown(authorization) { hasShownToken = true }
      authorization = nil
      return hasShownToken
    }

    private func stop() {
      timer?.cancel()
      timer = nil
      context = nil
    }
  }

  /// The handler next to the socket: it sees raw bytes first, and writes past it go out unchanged.
  final class HeadTimeoutHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private weak var deadline: RequestDeadline?
    /// The length of the first line of the request, as far as it has arrived.
    private var firstLine = 0
    private var isInFirstLine = false
    /// True if a body without a length is sent in chunks, which HTTP/1.0 does not know.
    var framesChunks = true

    /// True if the target is longer than the parser accepts; the line also has a method and a version.
    var hasLongFirstLine: Bool { firstLine > HTTPLimits.field + "GET  HTTP/1.1".utf8.count }

    fileprivate init(_ deadline: RequestDeadline) { self.deadline = deadline }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      if deadline?.bytesCame() == true { (firstLine, isInFirstLine) = (0, true) }
      if isInFirstLine {
        let bytes = unwrapInboundIn(data).readableBytesView
        let end = bytes.firstIndex(of: UInt8(ascii: "\n"))
        firstLine += bytes[..<(end ?? bytes.endIndex)].count
        isInFirstLine = end == nil
      }
      context.fireChannelRead(data)
    }
  }
#endif
