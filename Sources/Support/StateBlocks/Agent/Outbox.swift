/// What one agent still has to tell, in the order in which it happened.
///
/// Messages are posted under the agent's turn and delivered outside it, by one thread at a time,
/// which has the outbox's own turn. A thread that finds another one telling leaves its messages to
/// it; the one that tells looks again after it has left, so that none is forgotten. It tells what
/// it posted itself and what stood before that, and leaves the rest to a background thread, so that
/// no caller is kept for ever by the others.
final class Outbox: Sendable {
  /// A bare function would be wrapped once more in the queue.
  private struct Message {
    let tell: @Sendable () -> Void
  }

  private let turn: Turn
  private let background: Background
  private let limit: Int
  private let lock = Lock()

  /// `nonisolated(unsafe)`, these five: read and written only under `lock`, which is why nobody needs to
  /// check for accesses that overlap.
  @exclusivity(unchecked) nonisolated(unsafe) private var messages = Queue<Message>()
  /// How many messages were delivered so far, how many of these to the end, and how many shall be
  /// before the one that tells leaves.
  @exclusivity(unchecked) nonisolated(unsafe) private var delivered = 0
  @exclusivity(unchecked) nonisolated(unsafe) private var told = 0
  @exclusivity(unchecked) nonisolated(unsafe) private var goal = 0
  @exclusivity(unchecked) nonisolated(unsafe) private var hasWorker = false
  /// Callbacks for messages that have not been told yet.
  nonisolated(unsafe) private var waiting: [(number: Int, call: @Sendable () -> Void)] = []

  init(agent: String, limit: Int) {
    turn = Turn(name: "observers of \(agent)", kind: .telling)
    background = Background(name: "observers of \(agent)")
    self.limit = max(1, limit)
  }

  /// Adds a message.
  ///
  /// Only the thread that has the agent's turn may call this, or who has stopped the agent. Returns
  /// the message's number, for `deliver(until:)`.
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

  /// Delivers what is there, unless another thread is telling, or this one is, further out.
  ///
  /// A thread that holds nothing waits for the one that tells when the outbox is as full as it may
  /// be.
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

  /// Delivers what is there, after whatever another thread is just telling.
  ///
  /// Does nothing when this thread is telling it, or holds a state: then it happens further out.
  func deliverAll() throws(AgentError) {
    if turn.isMine || Turn.held.contains(where: { $0.kind == .state }) { return }
    deliverAndLeave(try turn.enter())
  }

  /// Returns when a message has been told, after all that stood before it.
  ///
  /// Where another thread is just telling, this one waits until that has told what it has to, and
  /// tells what is left. Where it may not wait (see `deliverAll`), or waiting would never end, it
  /// returns before.
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

  /// Has a background thread deliver what is there, unless one is about to.
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

  /// Calls `body` once a message has been told: at once if it has.
  func whenTold(_ number: Int, _ body: @escaping @Sendable () -> Void) {
    let isTold = lock.withLock {
      if told >= number { return true }
      waiting.append((number, body))
      return false
    }
    if isTold { body() } else { deliverInBackground() }
  }

  /// The next message; nil where the one that tells is to leave.
  ///
  /// It first calls those who wait for the messages that were told so far.
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
