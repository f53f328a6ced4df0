#if Server
  import NIOCore
  import NIOPosix
  import NIOSSL
  import Platform

  /// A server on a port of this machine that answers each request with the same bytes.
  final class ScriptedServer: Sendable {
    /// The reaction to a request.
    enum Reaction: Sendable {
      case answer(String)
      /// Answers, and closes the connection.
      case last(String)
      /// Leaves the client waiting.
      case silence

      /// A response with this status and body, and further lines of the head.
      static func response(_ status: String, _ body: String = "", _ lines: String...) -> Reaction {
        let head = ["HTTP/1.1 \(status)", "Content-Length: \(body.utf8.count)"] + lines
        return .answer(head.joined(separator: "\r\n") + "\r\n\r\n" + body)
      }
    }

    /// The requests and connections of a server.
    final class Record: Sendable {
      private let state = Mutex((requests: [String](), connections: 0, ends: 0))
      func add(_ request: String) { state.withLock { $0.requests.append(request) } }
      func connect() { state.withLock { $0.connections += 1 } }
      func end() { state.withLock { $0.ends += 1 } }
      var requests: [String] { state.withLock { $0.requests } }
      var connections: Int { state.withLock { $0.connections } }
      var ends: Int { state.withLock { $0.ends } }
    }

    let record: Record
    let port: Int
    private let channel: any Channel

    /// - Parameter tls: the certificate of the server, and its key; nil for plain HTTP.
    init(_ reaction: Reaction, tls: NIOSSLContext? = nil) async throws {
      let record = Record()
      self.record = record
      channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .childChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls)) }
            try pipeline.addHandler(Handler(reaction, record))
          }
        }
        .bind(host: "127.0.0.1", port: 0).get()
      port = channel.localAddress?.port ?? 0
    }

    deinit { channel.close(promise: nil) }

    /// Stops listening.
    func close() async throws { try await channel.close().get() }

    /// Returns once the condition holds; false after ten seconds.
    func waits(for condition: (Record) -> Bool) async -> Bool {
      for _ in 0..<2_000 {
        if condition(record) { return true }
        try? await Task.sleep(for: .milliseconds(5))
      }
      return false
    }

    private final class Handler: ChannelInboundHandler {
      typealias InboundIn = ByteBuffer
      typealias OutboundOut = ByteBuffer

      private let reaction: Reaction
      private let record: Record
      private var received = ByteBuffer()

      init(_ reaction: Reaction, _ record: Record) {
        (self.reaction, self.record) = (reaction, record)
      }

      func channelActive(context: ChannelHandlerContext) {
        record.connect()
        context.fireChannelActive()
      }

      func channelInactive(context: ChannelHandlerContext) {
        record.end()
        context.fireChannelInactive()
      }

      func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received.writeImmutableBuffer(unwrapInboundIn(data))
        let text = String(buffer: received)
        guard let head = text.firstRange(of: "\r\n\r\n") else { return }
        let length = text.firstMatch(of: /(?i)content-length: ([0-9]+)/).flatMap { Int($0.1) }
        guard text[head.upperBound...].utf8.count >= length ?? 0 else { return }
        received.clear()
        record.add(text)
        switch reaction {
        case .answer(let answer): write(answer, context)
        case .last(let answer):
          write(answer, context)
          context.close(promise: nil)
        case .silence: break
        }
      }

      func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
      }

      private func write(_ answer: String, _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer)), promise: nil)
      }
    }
  }
#endif
