import FlowHosting
import FlowKernel
import StateBlocks

/// The cases that are awake, and the callers who wait for one to be.
///
/// Each case that is awake, being woken or being put to sleep takes a *place*. A case is *pinned*, and takes
/// no place, while nobody uses it and part of it exists in memory only: it cannot sleep. No more places are
/// taken than there are. A caller who needs a place waits for it; requests from outside come before the
/// clock.
struct AwakeCases {
  /// A caller of a case.
  enum Caller {
    /// A request from outside.
    case outside
    /// The clock, for work that is due.
    case clock
  }

  /// A case that is being activated.
  final class Activation: Sendable {
    enum Outcome: Sendable {
      case awake
      /// The case could not be activated.
      case failed(any Error)
      /// The case is not wanted any more: the cases are closed, or another node is to hold it.
      case abandoned(JournalError)
    }

    /// True if it creates the case: its errors do not concern callers who only use the case.
    let isBirth: Bool
    let outcome = Promise<Outcome>()
    /// Fulfilled once the activation has ended in every respect.
    let end = Promise<Void>()

    init(isBirth: Bool) { self.isBirth = isBirth }
  }

  struct Awake {
    let host: FlowHost
    /// The number of the last use, counted over all cases.
    var used: Int
    /// The number of current users.
    var users: Int
    /// True while nobody uses it and it cannot sleep.
    var isPinned = false
  }

  /// A case that is being put to sleep.
  struct Resting {
    let id: String
    let host: FlowHost
    let end = Promise<Void>()
  }

  private enum Slot {
    case waking(Activation)
    case awake(Awake)
    case resting(Resting)
  }

  /// A caller who waits for a place.
  struct Waiter {
    let number: Int
    let place = Promise<Result<Void, JournalError>>()
  }

  /// The next step of a caller.
  enum Step {
    case use(FlowHost)
    /// Activates the case.
    case wake(Activation)
    /// Waits until another caller has activated the case.
    case waitForActivation(Activation)
    /// Waits until it sleeps.
    case waitForRest(Promise<Void>)
    case waitForPlace(Waiter)
    case closed
  }

  private var slots: [String: Slot] = [:]
  private var pinned = 0
  private var resting = 0
  /// The number of places that were given to waiters who have not taken them yet.
  private var reserved = 0
  private var uses = 0
  private var numbers = 0
  private var outside: [Waiter] = []
  private var clock: [Waiter] = []
  private let places: Int
  private(set) var isClosed = false

  /// Makes the table of awake cases.
  ///
  /// - Parameter places: the number of places.
  init(places: Int) { self.places = places }

  /// The number of cases that are awake.
  var count: Int { slots.values.count { if case .awake = $0 { true } else { false } } }

  private var taken: Int { slots.count - pinned + reserved }

  private var waiting: Int { outside.count + clock.count }

  func isKnown(_ id: String) -> Bool { slots[id] != nil }

  /// The ids of all cases that are awake, being woken or being put to sleep.
  var ids: [String] { Array(slots.keys) }

  /// True while a case is awake in a host.
  func has(_ id: String, _ host: FlowHost) -> Bool {
    if case .awake(let awake)? = slots[id] { awake.host === host } else { false }
  }

  /// The hosts of all cases that are awake; nil while one is in use, being woken or being put to sleep.
  var unused: [FlowHost]? {
    var hosts: [FlowHost] = []
    for slot in slots.values {
      guard case .awake(let awake) = slot, awake.users == 0 else { return nil }
      hosts.append(awake.host)
    }
    return hosts
  }

  /// The hosts of all cases that are awake, or being put to sleep.
  var hosts: [FlowHost] {
    slots.values.compactMap { slot in
      switch slot {
      case .waking: nil
      case .awake(let awake): awake.host
      case .resting(let resting): resting.host
      }
    }
  }

  /// Returns the host of a case that is awake, also after the close; nil if it is not.
  func host(of id: String) -> FlowHost? {
    if case .awake(let awake)? = slots[id] { awake.host } else { nil }
  }

  // MARK: Using

  /// Returns the next step of a caller who wants a case.
  ///
  /// - Parameter hasPlace: true if the caller has waited for a place and has it now.
  mutating func request(
    _ id: String, isBirth: Bool, by caller: Caller, hasPlace: Bool
  ) -> Step {
    if hasPlace { reserved -= 1 }
    if isClosed { return .closed }
    switch slots[id] {
    case .awake(var awake):
      uses += 1
      if awake.isPinned { pinned -= 1 }
      (awake.used, awake.isPinned) = (uses, false)
      awake.users += 1
      slots[id] = .awake(awake)
      return .use(awake.host)
    case .waking(let activation): return .waitForActivation(activation)
    case .resting(let resting): return .waitForRest(resting.end)
    case nil: break
    }
    if hasPlace || taken < places && waiting == 0 {
      let activation = Activation(isBirth: isBirth)
      slots[id] = .waking(activation)
      return .wake(activation)
    }
    numbers += 1
    let waiter = Waiter(number: numbers)
    switch caller {
    case .outside: outside.append(waiter)
    case .clock: clock.append(waiter)
    }
    return .waitForPlace(waiter)
  }

  /// Returns the host of a case that is awake, with one more user; nil if it is not, and does not wake it.
  mutating func requestIfAwake(_ id: String) -> FlowHost? {
    guard case .awake? = slots[id],
      case .use(let host) = request(id, isBirth: false, by: .outside, hasPlace: false)
    else { return nil }
    return host
  }

  /// Puts an activated case into its place, with one user; with a nil host, frees the place.
  ///
  /// - Returns: false if the case is not wanted any more.
  mutating func finish(_ activation: Activation, of id: String, in host: FlowHost?) -> Bool {
    guard case .waking(let present)? = slots[id], present === activation else { return false }
    uses += 1
    slots[id] = host.map { .awake(Awake(host: $0, used: uses, users: 1)) }
    return true
  }

  /// Removes a user of a case.
  mutating func leave(_ id: String, _ host: FlowHost, mayRest: Bool) {
    guard case .awake(var awake)? = slots[id], awake.host === host else { return }
    awake.users -= 1
    slots[id] = .awake(awake)
    pin(id, host, !mayRest)
  }

  /// Pins a case because part of it exists in memory only, or unpins it.
  mutating func pin(_ id: String, _ host: FlowHost, _ isPinned: Bool) {
    guard case .awake(var awake)? = slots[id], awake.host === host, awake.users == 0,
      awake.isPinned != isPinned
    else { return }
    awake.isPinned = isPinned
    pinned += isPinned ? 1 : -1
    slots[id] = .awake(awake)
  }

  /// Removes a case that another writer has taken over.
  mutating func forget(_ id: String, _ host: FlowHost) {
    guard has(id, host) else { return }
    remove(id)
  }

  private mutating func remove(_ id: String) {
    if case .awake(let awake)? = slots.removeValue(forKey: id), awake.isPinned { pinned -= 1 }
  }

  // MARK: Places

  /// Chooses cases to be put to sleep, the longest unused first, and marks them as such.
  mutating func takeSurplus() -> [Resting] {
    let needed = taken + waiting - places - resting
    guard needed > 0, !isClosed else { return [] }
    let idle = slots.compactMap { id, slot -> (id: String, awake: Awake)? in
      if case .awake(let awake) = slot, awake.users == 0, !awake.isPinned {
        (id, awake)
      } else {
        nil
      }
    }
    // Takes an eighth of the places at once, because choosing looks through all cases.
    let chosen = idle.sorted { $0.awake.used < $1.awake.used }.prefix(max(needed, places / 8))
    return chosen.map { id, awake in
      let rest = Resting(id: id, host: awake.host)
      slots[id] = .resting(rest)
      resting += 1
      return rest
    }
  }

  /// Removes a case that sleeps, or pins it if it cannot sleep because part of it exists in memory only.
  mutating func finish(_ rest: Resting, didRest: Bool) {
    guard case .resting(let present)? = slots[rest.id], present.end === rest.end else { return }
    resting -= 1
    slots[rest.id] = nil
    if didRest { return }
    uses += 1
    slots[rest.id] = .awake(Awake(host: rest.host, used: uses, users: 0, isPinned: true))
    pinned += 1
  }

  /// Gives free places to waiters, and returns these.
  mutating func takeReady() -> [Waiter] {
    var ready: [Waiter] = []
    while taken < places, waiting > 0 {
      ready.append(outside.isEmpty ? clock.removeFirst() : outside.removeFirst())
      reserved += 1
    }
    return ready
  }

  /// Removes a waiter.
  ///
  /// - Returns: false if the waiter was given a place meanwhile.
  mutating func withdraw(_ waiter: Waiter) -> Bool {
    let before = waiting
    outside.removeAll { $0.number == waiter.number }
    clock.removeAll { $0.number == waiter.number }
    return waiting < before
  }

  // MARK: The end

  /// The remaining work for cases that are no longer awake.
  struct Leaving {
    var hosts: [FlowHost] = []
    var activations: [Activation] = []
    var rests: [Resting] = []
    var waiters: [Waiter] = []
  }

  /// Removes the cases that are lost; those that are being put to sleep stay until they sleep.
  mutating func release(_ isLost: (String) -> Bool) -> Leaving {
    var leaving = Leaving()
    for (id, slot) in slots where isLost(id) {
      switch slot {
      case .awake(let awake): leaving.hosts.append(awake.host)
      case .waking(let activation): leaving.activations.append(activation)
      case .resting(let rest):
        leaving.rests.append(rest)
        continue
      }
      remove(id)
    }
    return leaving
  }

  /// Refuses further requests.
  mutating func close() { isClosed = true }

  /// Removes all cases and all waiters.
  mutating func releaseAll() -> Leaving {
    isClosed = true
    var leaving = release { _ in true }
    leaving.waiters = outside + clock
    (outside, clock) = ([], [])
    return leaving
  }
}
