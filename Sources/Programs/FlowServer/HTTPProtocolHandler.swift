#if Server
  import NIOCore
  import NIOHTTP1

  /// A channel handler for the rules of HTTP/1 that Hummingbird leaves open.
  ///
  /// It handles versions, persistent connections, `HEAD`, `Expect`, and bytes that are not HTTP. It stands between the
  /// parser and the types that know no version. Requests are answered in the order in which they come, so that the
  /// first of `exchanges` is the one that is being answered, and the last the one that is being read.
  final class HTTPProtocolHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// A request whose answer is not complete.
    private struct Exchange {
      let isOld: Bool
      let isHead: Bool
      /// True if the connection ends with the answer.
      var closes: Bool
      /// True if the sender waits for status 100 before it sends the body.
      var awaitsContinue: Bool
      /// True once the answer has begun, if it is a stream of events.
      var isStream = false

      init(_ head: HTTPRequestHead) {
        isOld = head.version.minor == 0
        isHead = head.method == .HEAD
        closes = !head.isKeepAlive
        awaitsContinue =
          !isOld && head.headers.first(name: "expect")?.lowercased() == "100-continue"
      }
    }

    private let front: HeadTimeoutHandler
    private var exchanges = CircularBuffer<Exchange>(initialCapacity: 1)
    /// True from the head of a request to its end.
    private var isReading = false
    /// True once no more input is read.
    private var isOver = false
    /// The problem of bytes that were not HTTP; it is answered after all requests before them.
    private var failure: Problem?
    /// True once the client sends nothing more.
    private var isInputClosed = false
    /// The function that is called once the client sends nothing more.
    private var onInputClosed: (@Sendable () -> Void)?

    init(_ front: HeadTimeoutHandler) { self.front = front }

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      if isOver { return }
      switch unwrapInboundIn(data) {
      case .head(var head):
        let exchange = Exchange(head)
        exchanges.append(exchange)
        isReading = true
        // Hummingbird reads on unless this header says `close`, in lower case.
        if exchange.closes { head.headers.replaceOrAdd(name: "connection", value: "close") }
        if exchange.isOld { head.headers.remove(name: "expect") }
        head.takeAuthority()
        context.fireChannelRead(wrapInboundOut(.head(head)))
      case .body: context.fireChannelRead(data)
      case .end:
        isReading = false
        isOver = exchanges.last?.closes == true
        context.fireChannelRead(data)
      }
    }

    /// Writes a comment to an event stream whose listener has closed its side.
    ///
    /// A listener that only stopped sending accepts it. If the listener is gone, the connection is reset, and is closed
    /// here too.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
      if event as? ChannelEvent == .inputClosed {
        closeInput()
        if exchanges.first?.isStream == true {
          context.writeAndFlush(
            wrapOutboundOut(.body(.byteBuffer(EventSink.comment))), promise: nil)
        }
      }
      context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
      closeInput()
      context.fireChannelInactive()
    }

    /// Sets the function that is called once the client sends nothing more: at once if that is so already.
    func whenInputCloses(_ body: (@Sendable () -> Void)?) {
      onInputClosed = body
      if isInputClosed { body?() }
    }

    private func closeInput() {
      isInputClosed = true
      onInputClosed?()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      guard let error = error as? HTTPParserError else { return context.fireErrorCaught(error) }
      if isOver { return }
      isOver = true
      if isReading, let last = exchanges.indices.last {
        // The route that reads the body answers with the error.
        exchanges[last].closes = true
        return context.fireErrorCaught(error)
      }
      failure = Problem(unreadable: error, inTarget: front.hasLongFirstLine)
      if exchanges.isEmpty { answerFailure(context) }
    }

    // MARK: Answers

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
      // Hummingbird also answers to bytes that were not HTTP; that answer is dropped.
      guard let current = exchanges.first else {
        promise?.fail(ChannelError.ioOnClosedChannel)
        return
      }
      switch unwrapOutboundIn(data) {
      case .head(let head) where head.status.code < 200:
        exchanges[exchanges.startIndex].awaitsContinue = false
        context.write(data, promise: promise)
      case .head(let head):
        context.write(wrapOutboundOut(.head(framed(head))), promise: promise)
      case .body:
        if current.isHead { promise?.succeed() } else { context.write(data, promise: promise) }
      case .end: end(context, data, promise)
      }
    }

    /// Returns the head of an answer with its version and connection headers.
    private func framed(_ head: HTTPResponseHead) -> HTTPResponseHead {
      var head = head
      let first = exchanges.startIndex
      let current = exchanges[first]
      // Chunks came with HTTP/1.1. Before that, a body without a length ends with the connection.
      if current.isOld { head.version = .http1_0 }
      front.framesChunks = !current.isOld
      if current.awaitsContinue || current.isOld && !current.isHead && !head.hasLength
        || head.headers.contains(name: "connection")
          && head.headers[canonicalForm: "connection"].contains("close")
      {
        exchanges[first].closes = true
      }
      exchanges[first].isStream =
        !current.isHead && head.headers.first(name: "content-type") == "text/event-stream"
      if exchanges[first].closes {
        head.headers.replaceOrAdd(name: "connection", value: "close")
      } else if current.isOld {
        head.headers.replaceOrAdd(name: "connection", value: "keep-alive")
      }
      return head
    }

    private func end(
      _ context: ChannelHandlerContext, _ data: NIOAny, _ promise: EventLoopPromise<Void>?
    ) {
      guard let current = exchanges.popFirst() else { return }
      if current.isHead {
        // The last chunk would be a body, which an answer to HEAD must not have.
        promise?.succeed()
      } else {
        context.write(data, promise: promise)
      }
      if current.closes {
        close(context)
      } else if exchanges.isEmpty, failure != nil {
        answerFailure(context)
      }
    }

    private func answerFailure(_ context: ChannelHandlerContext) {
      guard let failure else { return }
      self.failure = nil
      let body = ByteBuffer(string: failure.text)
      var head = HTTPResponseHead(
        version: .http1_1,
        status: HTTPResponseStatus(statusCode: failure.status.code))
      head.headers = [
        "Content-Type": Problem.mediaType, "Content-Length": String(body.readableBytes),
        "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Connection": "close",
      ]
      context.write(wrapOutboundOut(.head(head)), promise: nil)
      context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
      context.write(wrapOutboundOut(.end(nil)), promise: nil)
      close(context)
    }

    /// Closes the output side; the input is read until the other side closes.
    ///
    /// Closing both sides at once would lose data that the client has not read yet.
    private func close(_ context: ChannelHandlerContext) {
      isOver = true
      context.flush()
      context.close(mode: .output, promise: nil)
    }
  }

  extension HTTPResponseHead {
    /// True if the end of the body is known without the end of the connection.
    fileprivate var hasLength: Bool {
      headers.contains(name: "content-length") || !status.mayHaveResponseBody
    }
  }

  extension HTTPRequestHead {
    /// Replaces the `Host` header by the host of a target such as `http://host/path`, as RFC 9112, section 3.2.2,
    /// demands.
    fileprivate mutating func takeAuthority() {
      guard uri.utf8.first != UInt8(ascii: "/"),
        let scheme = ["http://", "https://"].first(where: { uri.lowercased().hasPrefix($0) }),
        headers["host"].count == 1
      else { return }
      let rest = uri.dropFirst(scheme.count)
      let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
      headers.replaceOrAdd(name: "host", value: String(rest[..<end]))
      let path = rest[end...]
      uri = path.hasPrefix("/") ? String(path) : "/\(path)"
    }
  }

  /// The maximum sizes of the parts of a request, in bytes.
  enum HTTPLimits {
    /// The target, or one header with its name.
    static let field = 16_384
    /// All headers together; `fieldCount` is their maximum number.
    static let allFields = 32_768
    static let fieldCount = 100
  }
#endif
