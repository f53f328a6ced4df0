/// The undelivered messages of one agent to its observers, in the order of their causes.
///
/// Messages are posted by a thread that has the agent's turn and delivered outside it, by one thread at a time, which
/// has the outbox's own turn. A thread that finds another one delivering leaves its messages to it; the delivering
/// thread checks again after it has left, so that no message is forgotten. It delivers its own messages and those
/// before them, and leaves the rest to a background thread, so that the others cannot hold up a caller for ever.
final class Outbox: Sendable {
  /// A struct, because a bare function would be wrapped once more in the queue.
  private struct Message {
    let tell: @Sendable () -> Void
  }

  private let turn: Turn
  private let background: Background
  private let limit: Int
  private let lock = Lock()

  /// `nonisolated(unsafe)`, these five: accessed only under `lock`, so overlapping accesses need no check.
  @exclusivity(unchecked) nonisolated(unsafe) private var messages = Queue<Message>()
  /// The number of messages taken for delivery so far (`delivered`), of those whose delivery has ended (`told`), and of
  /// those to deliver before the delivering thread leaves (`goal`).
  @exclusivity(unchecked) nonisolated(unsafe) private var delivered = 0
  @exclusivity(unchecked) nonisolated(unsafe) private var told = 0
  @exclusivity(unchecked) nonisolated(unsafe) private var goal = 0
  @exclusivity(unchecked) nonisolated(unsafe) private var hasWorker = false
  /// The callbacks for messages that have not been delivered yet; accessed only under `lock`.
  nonisolated(unsafe) private var waiting: [(number: Int, call: @Sendable () -> Void)] = []

  init(agent: String, limit: Int) {
    turn = Turn(name: "observers of \(agent)", kind: .telling)
    background = Background(name: "observers of \(agent)")
    self.limit = max(1, limit)
  }

  /// Adds a message, and returns its number, for `deliver(until:)`.
  ///
  /// Only the thread that has the agent's turn, or has stopped the agent, may call this, unless the caller orders the
  /// messages itself.
  @discardableResult
  func post(_ message: @escaping @Sendable () -> Void) -> Int {
    let isMine = turn.isMine
    return lock.withLock {
      messages.append(Message(tell: message))
      let number = delivered + messages.count
      if isMine { goal = number }
      return number
    }
  }

  /// Delivers the messages, unless another thread is delivering, or this one is, further up its stack.
  ///
  /// If the outbox is full, a thread that holds nothing waits for the delivering thread.
  func deliver() {
    while !isEmpty {
      if let record = turn.tryEnter() {
        deliverAndLeave(record)
        return
      }
      guard isFull, Turn.held.isEmpty, let record = try? turn.enter() else { return }
      deliverAndLeave(record)
    }
  }

  /// Delivers the messages, after another thread that is delivering has finished.
  ///
  /// Does nothing if this thread is delivering or holds a state: then delivery happens when it returns from there.
  func deliverAll() throws(AgentError) {
    if turn.isMine || Turn.held.contains(where: { $0.kind == .state }) { return }
    deliverAndLeave(try turn.enter())
  }

  /// Returns when a message has been delivered, after all messages before it.
  ///
  /// If another thread is delivering, this one waits until it has finished, and delivers the rest. If this thread may
  /// not wait (see `deliverAll`), or the wait would never end, it returns early.
  func deliver(until number: Int) {
    if lock.withLock({ told >= number }) { return }
    try? deliverAll()
  }

  private var isEmpty: Bool { lock.withLock { messages.isEmpty } }

  private var isFull: Bool { lock.withLock { messages.count >= limit } }

  private func deliverAndLeave(_ record: ThreadRecord.Address) {
    lock.withLock { goal = delivered + messages.count }
    while let message = next() { message.tell() }
    turn.leave(record)
    deliverInBackground()
  }

  /// Starts delivery on a background thread, unless one is about to start.
  func deliverInBackground() {
    let start = lock.withLock {
      if messages.isEmpty || hasWorker { return false }
      hasWorker = true
      return true
    }
    if start {
      background.run { [self] in
        lock.withLock { hasWorker = false }
        deliver()
      }
    }
  }

  /// The number of the latest message.
  var last: Int { lock.withLock { delivered + messages.count } }

  /// Calls `body` once a message has been delivered, at once if it has been.
  func whenTold(_ number: Int, _ body: @escaping @Sendable () -> Void) {
    let isTold = lock.withLock {
      if told >= number { return true }
      waiting.append((number, body))
      return false
    }
    if isTold { body() } else { deliverInBackground() }
  }

  /// Returns the next message, or nil if the delivering thread must leave.
  ///
  /// It first calls the callbacks for the messages that were delivered so far.
  private func next() -> Message? {
    let (message, ready): (Message?, [@Sendable () -> Void]) = lock.withLock {
      told = delivered
      let ready = waiting.isEmpty ? [] : takeReady()
      guard delivered < goal, let message = messages.popFirst() else { return (nil, ready) }
      delivered += 1
      return (message, ready)
    }
    for call in ready { call() }
    return message
  }

  private func takeReady() -> [@Sendable () -> Void] {
    defer { waiting.removeAll { $0.number <= told } }
    return waiting.filter { $0.number <= told }.map(\.call)
  }
}
