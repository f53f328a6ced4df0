#if Server
  import FlowCases
  import FlowKernel
  import Hummingbird
  import LuaRuntime
  import NIOCore
  import Platform
  import StateBlocks

  /// A broadcaster of view values to listeners: each value is read and encoded once, however many listen.
  ///
  /// A slow listener gets the newest value when it has received the one before, and skips those in between. Events are
  /// framed as chunks here, once for all, and written past the handlers that would frame them for each listener.
  final class ViewBroadcaster: Sendable {
    private struct Place: Hashable {
      let id: String
      let view: String
    }

    private final class Listeners: Sendable {
      struct State {
        var listeners: [Int: ViewListener] = [:]
        var last = 0
        var newest: (id: String, event: ByteBuffer)?
      }
      let state = Mutex(State())
    }

    /// An empty event, which detects that an idle connection is gone.
    static let comment = framed(EventSink.comment)

    /// Returns an event as a chunk (RFC 9112, section 7.1), because the body has no known length.
    private static func framed(_ event: ByteBuffer) -> ByteBuffer {
      var chunk = ByteBuffer()
      chunk.writeString(String(event.readableBytes, radix: 16) + "\r\n")
      chunk.writeImmutableBuffer(event)
      chunk.writeStaticString("\r\n")
      return chunk
    }

    /// Returns the event of a chunk.
    fileprivate static func unframed(_ chunk: ByteBuffer) -> ByteBuffer {
      let end = chunk.readableBytesView.firstIndex(of: UInt8(ascii: "\n")) ?? chunk.readerIndex
      return chunk.getSlice(at: end + 1, length: chunk.writerIndex - end - 3) ?? chunk
    }

    private let cases: Cases
    private let places = Mutex<[Place: (told: Listeners, task: Task<Void, Never>)]>([:])

    init(_ cases: Cases) { self.cases = cases }

    /// The number of listeners.
    var count: Int {
      places.withLock { $0.values.reduce(0) { $0 + $1.told.state.withLock(\.listeners.count) } }
    }

    /// Sends the values of a view to a listener until it ends.
    func tell(_ id: String, _ view: String, _ listener: ViewListener, after lastID: String?) async {
      let place = Place(id: id, view: view)
      let (told, number) = places.withLock { places -> (Listeners, Int) in
        let told: Listeners
        if let known = places[place] {
          told = known.told
        } else {
          told = Listeners()
          let task = Task { [self] in
            await ViewBroadcaster.run(cases[id], view, told)
            end(place, told)
          }
          places[place] = (told, task)
        }
        let number = told.state.withLock { state -> Int in
          state.last += 1
          state.listeners[state.last] = listener
          if let newest = state.newest, newest.id != lastID { listener.enqueue(newest.event) }
          return state.last
        }
        return (told, number)
      }
      await listener.end()
      places.withLock { places in
        let isLast = told.state.withLock { state in
          state.listeners[number] = nil
          return state.listeners.isEmpty
        }
        if isLast, let known = places[place], known.told === told {
          known.task.cancel()
          places[place] = nil
        }
      }
    }

    /// Ends the listeners of a view; a later listener starts a new subscription.
    private func end(_ place: Place, _ told: Listeners) {
      places.withLock { if $0[place]?.told === told { $0[place] = nil } }
      for listener in told.state.withLock({ Array($0.listeners.values) }) { listener.finish() }
    }

    /// Follows a view as long as anybody listens; an error of the view is sent like a value.
    private static func run(_ one: Case, _ view: String, _ told: Listeners) async {
      let beating = Task {
        while !Task.isCancelled {
          try? await Task.sleep(for: .seconds(15))
          write(
            comment, to: told.state.withLock { Array($0.listeners.values) },
            onlyIdle: true)
        }
      }
      defer { beating.cancel() }
      var pause = Duration.milliseconds(100)
      while !Task.isCancelled {
        do {
          for try await result in one.results(of: view) {
            report(result, told)
            pause = .milliseconds(100)
          }
          return
        } catch {
          report(.failure(error), told)
          if isFinal(error) { return }
        }
        try? await Task.sleep(for: pause)
        pause = min(pause * 2, .seconds(10))
      }
    }

    /// Returns true for an error that does not disappear with time.
    private static func isFinal(_ error: any Error) -> Bool {
      switch error {
      case ViewError.undeclared: true
      case let error as JournalError: [.unknownCase, .closed].contains(error.kind)
      default: false
      }
    }

    private static func report(_ result: Result<Value, some Error>, _ told: Listeners) {
      let (name, event): (String, ByteBuffer)
      switch result {
      case .success(let value):
        let text = JSONText.text(value)
        name = self.name(of: text)
        event = framed(EventSink.text(text, id: name, event: "view"))
      case .failure(let error):
        let text = JSONText.text(["why": .string(Problem(error).why)])
        name = "error \(self.name(of: text))"
        event = framed(EventSink.text(text, id: nil, event: "error"))
      }
      let listeners = told.state.withLock { state -> [ViewListener] in
        if state.newest?.id == name { return [] }
        state.newest = (name, event)
        return Array(state.listeners.values)
      }
      write(event, to: listeners, onlyIdle: false)
    }

    /// Writes an event to listeners; each event loop writes to its own connections in turn.
    private static func write(_ event: ByteBuffer, to listeners: [ViewListener], onlyIdle: Bool) {
      let byLoop = Dictionary(grouping: listeners) { ObjectIdentifier($0.channel.eventLoop) }
      for listeners in byLoop.values {
        listeners.first?.channel.eventLoop.execute {
          for listener in listeners { listener.enqueue(event, onlyIdle: onlyIdle) }
        }
      }
    }

    /// Returns the event id of a value; equal values have equal ids.
    private static func name(of text: String) -> String { SHA256.hexadecimal(of: text) }
  }

  /// A listener of a view, with the event in flight and the newest one behind it.
  final class ViewListener: Sendable {
    private struct State {
      var isBusy = false
      var next: ByteBuffer?
      var isOver = false
    }

    let channel: any Channel
    private let state = Mutex(State())
    private let over = Promise<Void>()

    init(_ channel: any Channel) { self.channel = channel }

    func enqueue(_ event: ByteBuffer, onlyIdle: Bool = false) {
      let isFree = state.withLock { state -> Bool in
        if state.isOver { return false }
        if state.isBusy {
          if !onlyIdle { state.next = event }
          return false
        }
        state.isBusy = true
        return true
      }
      if isFree { send(event) }
    }

    private func send(_ chunk: ByteBuffer) {
      guard channel.eventLoop.inEventLoop else {
        return channel.eventLoop.execute { self.send(chunk) }
      }
      guard
        let front = try? channel.pipeline.syncOperations.context(
          handlerType: HeadTimeoutHandler.self)
      else { return finish() }
      let sent = channel.eventLoop.makePromise(of: Void.self)
      let isFramed = (front.handler as? HeadTimeoutHandler)?.framesChunks != false
      front.writeAndFlush(
        NIOAny(isFramed ? chunk : ViewBroadcaster.unframed(chunk)), promise: sent)
      sent.futureResult.whenComplete { result in
        guard case .success = result else { return self.finish() }
        let next = self.state.withLock { state -> ByteBuffer? in
          defer { state.next = nil }
          if state.next == nil { state.isBusy = false }
          return state.next
        }
        if let next { self.send(next) }
      }
    }

    /// Ends the listener: no more events are sent.
    func finish() {
      state.withLock { $0.isOver = true }
      over.fulfill(())
    }

    /// Waits until the listener has ended.
    func end() async { await over.value }
  }
#endif
