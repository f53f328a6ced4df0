import Synchronization

/// The lock of one agent, which refuses to be taken twice by one thread or in a circle of threads.
///
/// The turns that a thread holds form a list, from `ThreadRecord.top` through `below`. So an error can name the chain
/// of agents that led to it, and work that must wait until the thread holds no state can be passed down the list
/// (`afterwards`).
@usableFromInline
final class Turn: Sendable {
  /// The thing that a turn guards: an agent's state, or the delivery to its observers.
  enum Kind: Sendable { case state, telling }

  /// The agent's name, as errors print it.
  let name: String
  let kind: Kind
  let lock = Lock()
  private let key = ThreadRecord.key

  /// A bit set that is non-zero if an operation must do more than run its closure.
  ///
  /// The low half counts the casts in the mailbox; the marks are in the high half.
  @usableFromInline let attention = Atomic<Int>(0)

  /// The mark of outboxes that must be emptied after the holder has left.
  static let afterwardsMark = 1 << 58
  /// The mark of an agent that has observers.
  static let watchedMark = 1 << 59
  /// The mark of an agent that has a validator.
  static let validatedMark = 1 << 60
  /// The mark of a stopped agent, which has no state any more.
  static let stoppedMark = 1 << 61

  /// The number of casts that wait.
  var depth: Int { attention.load(ordering: .relaxed) & 0xFFFF_FFFF }

  /// Returns true if a mark is set.
  func has(_ mark: Int) -> Bool { attention.load(ordering: .relaxed) & mark != 0 }

  /// Sets a mark.
  func set(_ mark: Int) { attention.bitwiseOr(mark, ordering: .relaxed) }

  /// Clears a mark.
  func clear(_ mark: Int) { attention.bitwiseAnd(~mark, ordering: .relaxed) }

  /// The turn that the holder took before this one.
  ///
  /// Read and written only by the holder.
  private let below = Atomic<UInt>(0)

  /// The outboxes to empty once the holder holds no state any more.
  ///
  /// `nonisolated(unsafe)`: read and written only by the thread that holds `lock`, never across a call that leads back
  /// here.
  @exclusivity(unchecked) nonisolated(unsafe) private var afterwards: [Outbox] = []

  init(name: String, kind: Kind) {
    self.name = name
    self.kind = kind
  }

  /// Takes the turn, and waits while another thread has it.
  ///
  /// Returns the thread's record, for `leave`. Throws `.reentrant` if this thread already has the turn, and `.deadlock`
  /// if waiting would close a circle of threads that wait for each other.
  @usableFromInline
  @inline(never)
  func enter() throws(AgentError) -> ThreadRecord.Address {
    let record = ThreadRecord.current(key)
    let token = UInt(bitPattern: record)
    if !lock.tryLock(as: token) { try wait(record, token) }
    push(record)
    return record
  }

  /// Takes the turn if it is free, and returns nil otherwise.
  func tryEnter() -> ThreadRecord.Address? {
    let record = ThreadRecord.current(key)
    guard lock.tryLock(as: UInt(bitPattern: record)) else { return nil }
    push(record)
    return record
  }

  /// Releases the turn.
  ///
  /// It must be the turn that the thread took last, and `record` the thread's own record.
  @usableFromInline
  @inline(never)
  func leave(_ record: ThreadRecord.Address) {
    record.pointee.top = Self.turn(at: below.load(ordering: .relaxed))
    lock.unlock()
  }

  /// True if this thread has the turn.
  var isMine: Bool { lock.owner == UInt(bitPattern: ThreadRecord.current(key)) }

  /// The turns that this thread holds, in the order in which it took them.
  static var held: [Turn] {
    var turns: [Turn] = []
    var next = ThreadRecord.current.pointee.top
    while let turn = next?.takeUnretainedValue() {
      turns.append(turn)
      next = Self.turn(at: turn.below.load(ordering: .relaxed))
    }
    return turns.reversed()
  }

  /// Registers an outbox that is emptied when this thread has left its last state.
  ///
  /// Only the holder may call this.
  func empty(_ outbox: Outbox) {
    if !afterwards.contains(where: { $0 === outbox }) { afterwards.append(outbox) }
    set(Self.afterwardsMark)
  }

  /// Releases the turn, then empties the outboxes that waited for it, or passes them to the state below.
  func leaveAndEmpty(_ record: ThreadRecord.Address) {
    clear(Self.afterwardsMark)
    // Usually there is one outbox; then the array keeps its capacity.
    if afterwards.count == 1, let outbox = afterwards.popLast() {
      leave(record)
      if let state = record.pointee.top?.takeUnretainedValue(), state.kind == .state {
        state.empty(outbox)
      } else {
        outbox.deliver()
      }
      return
    }
    let outboxes = afterwards
    afterwards = []
    leave(record)
    if let state = record.pointee.top?.takeUnretainedValue(), state.kind == .state {
      for outbox in outboxes { state.empty(outbox) }
    } else {
      for outbox in outboxes { outbox.deliver() }
    }
  }

  @inline(__always)
  private func push(_ record: ThreadRecord.Address) {
    below.store(UInt(bitPattern: record.pointee.top?.toOpaque()), ordering: .relaxed)
    record.pointee.top = Unmanaged.passUnretained(self)
  }

  /// Returns the turn at an address in the list.
  ///
  /// Its agent is alive, because the thread is inside a call on it.
  private static func turn(at address: UInt) -> Unmanaged<Turn>? {
    UnsafeRawPointer(bitPattern: address).map { Unmanaged.fromOpaque($0) }
  }

  @inline(never)
  private func wait(_ record: ThreadRecord.Address, _ token: UInt) throws(AgentError) {
    if lock.owner == token {
      let held = Turn.held
      let start = held.firstIndex { $0 === self } ?? 0
      throw .reentrant(chain: held[start...].map(\.name) + [name])
    }
    // A thread that holds nothing blocks no other thread, so it cannot be part of a circle.
    if record.pointee.top == nil {
      lock.lock(as: token)
    } else {
      try WaitingThreads.shared.wait(for: self, as: token)
    }
  }
}
