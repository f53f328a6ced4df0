#if Server
  import NIOCore
  import NIOHTTPTypes

  /// Ends the patience with who sends a request a little at a time.
  ///
  /// Time begins with the first byte of a request, which a second handler at the front of the pipeline sees, and ends
  /// with its last part. One timer sees to all requests of a connection: it looks now and then how long the one lasts
  /// that is coming, so that most requests cost none.
  final class RequestDeadline: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart

    /// A request took too long to come.
    struct Passed: Error {}

    private let time: TimeAmount
    /// When the request began that is coming.
    private var begun: NIODeadline?
    private var timer: Scheduled<Void>?
    private var context: ChannelHandlerContext?
    /// Whether the head has come: then somebody is there to answer.
    private var hasHead = false

    init(_ time: Duration) {
      self.time = TimeAmount(time)
    }

    func handlerAdded(context: ChannelHandlerContext) {
      self.context = context
      let front = HeadTimeoutHandler(self)
      try? context.pipeline.syncOperations.addHandler(front, position: .first)
      // Most requests are short, and a connection keeps what it has read into.
      try? context.channel.syncOptions?.setOption(
        .recvAllocator,
        value: AdaptiveRecvByteBufferAllocator(minimum: 512, initial: 512, maximum: 65_536))
    }

    func handlerRemoved(context: ChannelHandlerContext) { stop() }

    func channelInactive(context: ChannelHandlerContext) {
      stop()
      context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      switch unwrapInboundIn(data) {
      case .head: hasHead = true
      case .body: break
      case .end:
        hasHead = false
        begun = nil
      }
      context.fireChannelRead(data)
    }

    fileprivate func bytesCame() {
      guard begun == nil, let context else { return }
      begun = .now()
      if timer == nil { look(in: time, context) }
    }

    private func look(in time: TimeAmount, _ context: ChannelHandlerContext) {
      let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
      timer = context.eventLoop.scheduleTask(in: time) { bound.value.look() }
    }

    private func look() {
      timer = nil
      guard let context, let begun else { return }
      let rest = begun + time - .now()
      if rest > .zero { return look(in: rest, context) }
      self.begun = nil
      // Who waits for the body says so; where the head has not come, nobody is there to say anything.
      context.fireErrorCaught(Passed())
      if !hasHead { context.close(promise: nil) }
    }

    private func stop() {
      timer?.cancel()
      timer = nil
      context = nil
    }
  }

  /// The handler next to the socket: it sees bytes first, and what is written here goes out as it is.
  final class HeadTimeoutHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private weak var deadline: RequestDeadline?

    fileprivate init(_ deadline: RequestDeadline) { self.deadline = deadline }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      deadline?.bytesCame()
      context.fireChannelRead(data)
    }
  }
#endif
