#if Server
  import NIOCore
  import NIOHTTPTypes
  import Platform

  /// The receiver of the events of one stream.
  ///
  /// Each event waits until the one before has left, so that a slow listener keeps only the current event in memory.
  package final class EventSink: Sendable {
    private let channel: any Channel
    private let unsent: UnsentEvents
    private let beating: Mutex<RepeatedTask?>
    /// The interval of heartbeats, which detect that an idle connection is gone.
    static let pause = TimeAmount.seconds(15)

    init(_ channel: any Channel, _ unsent: UnsentEvents) {
      (self.channel, self.unsent) = (channel, unsent)
      beating = Mutex(nil)
      let task = channel.eventLoop.scheduleRepeatedTask(
        initialDelay: EventSink.pause, delay: EventSink.pause
      ) { [channel] _ in
        // If earlier events have not left yet, a heartbeat would only add to them.
        if channel.isWritable {
          channel.writeAndFlush(HTTPResponsePart.body(EventSink.comment), promise: nil)
        }
      }
      beating.withLock { $0 = task }
    }

    static let comment = ByteBuffer(string: ":\n\n")

    /// Sends an event, and waits until it has left.
    package func send(_ data: String, id: String? = nil, event: String? = nil) async throws {
      try await send(EventSink.text(data, id: id, event: event))
    }

    func send(_ buffer: ByteBuffer) async throws {
      try Task.checkCancellation()
      let number = unsent.add(buffer.readableBytes) { [channel] in channel.close(promise: nil) }
      defer { unsent.remove(number) }
      try await channel.writeAndFlush(HTTPResponsePart.body(buffer)).get()
    }

    func heartbeat() async throws { try await send(EventSink.comment) }

    func stop() { beating.withLock { $0?.cancel() } }

    /// Returns an event in the format of server-sent events.
    package static func text(_ data: String, id: String?, event: String?) -> ByteBuffer {
      var text = ""
      if let id { text += "id: \(id)\n" }
      if let event { text += "event: \(event)\n" }
      for line in data.split(
        omittingEmptySubsequences: false,
        whereSeparator: { $0 == "\n" || $0 == "\r" || $0 == "\r\n" })
      {
        text += "data: \(line)\n"
      }
      return ByteBuffer(string: text + "\n")
    }
  }

  /// The open event streams, which end when the server ends.
  package final class OpenStreams: Sendable {
    /// The events of all streams that have not left yet.
    let unsent = UnsentEvents()
    private let state = Mutex((ends: [Int: @Sendable () -> Void](), last: 0, isOver: false))

    /// The number of open streams.
    package var count: Int { state.withLock(\.ends.count) }

    func add(_ end: @escaping @Sendable () -> Void) -> Int {
      let (number, isOver) = state.withLock { state in
        state.last += 1
        if !state.isOver { state.ends[state.last] = end }
        return (state.last, state.isOver)
      }
      if isOver { end() }
      return number
    }

    func remove(_ number: Int) { state.withLock { $0.ends[number] = nil } }

    func endAll() {
      let ends = state.withLock { state in
        state.isOver = true
        defer { state.ends = [:] }
        return Array(state.ends.values)
      }
      for end in ends { end() }
    }
  }
#endif
