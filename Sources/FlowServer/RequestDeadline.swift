#if Server
  import NIOCore
  import NIOHTTPTypes

  /// Ends the patience with who sends a request a little at a time.
  ///
  /// Time begins with the first byte of a request, which a second handler at the front of the pipeline sees, and ends
  /// with its last part.
  final class RequestDeadline: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart

    /// A request took too long to come.
    struct Passed: Error {}

    private let time: TimeAmount
    private var running: Scheduled<Void>?
    private var context: ChannelHandlerContext?
    /// Whether the head has come: then somebody is there to answer.
    private var hasHead = false

    init(_ time: Duration) {
      self.time = TimeAmount(time)
    }

    func handlerAdded(context: ChannelHandlerContext) {
      self.context = context
      try? context.pipeline.syncOperations.addHandler(FirstByte(self), position: .first)
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
        running?.cancel()
        running = nil
      }
      context.fireChannelRead(data)
    }

    fileprivate func bytesCame() {
      guard running == nil, let context else { return }
      let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
      running = context.eventLoop.scheduleTask(in: time) { bound.value.pass() }
    }

    private func pass() {
      guard let context else { return }
      running = nil
      // Who waits for the body says so; where the head has not come, nobody is there to say anything.
      context.fireErrorCaught(Passed())
      if !hasHead { context.close(promise: nil) }
    }

    private func stop() {
      running?.cancel()
      running = nil
      context = nil
    }
  }

  private final class FirstByte: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private weak var deadline: RequestDeadline?

    init(_ deadline: RequestDeadline) { self.deadline = deadline }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      deadline?.bytesCame()
      context.fireChannelRead(data)
    }
  }
#endif
