#if Server
  import Logging
  import NIOCore

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Darwin)
    import Darwin
  #endif

  /// A channel handler that limits the number of open connections; further connections wait.
  ///
  /// It accepts connections as long as there are fewer than the maximum, and file descriptors for them. A silent
  /// connection that has shown no token is closed if another one waits.
  final class ConnectionLimit: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel
    typealias OutboundIn = Never
    typealias OutboundOut = Never

    /// An event that tells a connection that others wait for its place.
    struct RoomNeeded: Sendable {}

    /// The interval at which waiting connections are checked.
    private static let pause = TimeAmount.seconds(1)
    private let maximum: Int
    private let logger: Logger
    private var connections: [ObjectIdentifier: any Channel] = [:]
    /// True if a connection may be waiting for room.
    private var holdsBack = false
    private var timer: Scheduled<Void>?
    private var lastWarning: NIODeadline?

    init(_ maximum: Int, logger: Logger) { (self.maximum, self.logger) = (maximum, logger) }

    func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

    func channelInactive(context: ChannelHandlerContext) {
      timer?.cancel()
      context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let channel = unwrapInboundIn(data)
      connections[ObjectIdentifier(channel)] = channel
      let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
      channel.closeFuture.hop(to: context.eventLoop).whenComplete { _ in
        let (handler, context) = bound.value
        handler.connections[ObjectIdentifier(channel)] = nil
        if handler.holdsBack, handler.connections.count < handler.maximum {
          handler.holdsBack = false
          context.read()
        }
      }
      context.fireChannelRead(data)
    }

    func read(context: ChannelHandlerContext) {
      if connections.count < maximum { return context.read() }
      holdsBack = true
      lookForRoom(context)
    }

    /// Stops reading after an error for lack of descriptors, and tries again after a pause.
    ///
    /// NIO would go on reading, and the socket would fail again at once as long as there is no descriptor.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      guard let error = error as? IOError,
        [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(error.errnoCode)
      else { return context.fireErrorCaught(error) }
      warn(of: error)
      try? context.channel.syncOptions?.setOption(.autoRead, value: false)
      askForRoom()
      let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
      context.eventLoop.scheduleTask(in: ConnectionLimit.pause) {
        try? bound.value.channel.syncOptions?.setOption(.autoRead, value: true)
      }
    }

    private func warn(of error: IOError) {
      if let lastWarning, lastWarning + .seconds(10) > .now() { return }
      lastWarning = .now()
      logger.warning(
        "no connection can be taken: the system has no descriptor or no memory for it; raise ulimit -n, or lower --max-connections",
        metadata: ["why": "\(error)", "connections": "\(connections.count)"])
    }

    private func lookForRoom(_ context: ChannelHandlerContext) {
      if timer != nil { return }
      askForRoom()
      let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
      timer = context.eventLoop.scheduleTask(in: ConnectionLimit.pause) {
        let (handler, context) = bound.value
        handler.timer = nil
        if handler.holdsBack { handler.lookForRoom(context) }
      }
    }

    private func askForRoom() {
      for channel in connections.values {
        channel.pipeline.fireUserInboundEventTriggered(RoomNeeded())
      }
    }
  }
#endif
