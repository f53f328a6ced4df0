import FlowHosting
import FlowKernel
import StateBlocks

/// The cases that are awake, and who waits for one to be.
///
/// A *place* is taken by each case that is awake, being woken or being put to sleep. A case is *pinned*, and takes none,
/// while nobody uses it and something of it lives in memory alone: it cannot sleep. No more places are taken than
/// there are; whoever needs one waits for it, requests from outside before the clock.
struct AwakeCases {
  /// A caller of a case.
  enum Caller {
    /// A request from outside.
    case outside
    /// The clock, for what is due.
    case clock
  }

  /// A case that is being activated.
  final class Activation: Sendable {
    enum Outcome: Sendable {
      case awake
      /// It could not be activated.
      case failed(any Error)
      /// It is not wanted any more: the cases are closed, or another node is to have it.
      case abandoned(JournalError)
    }

    /// True for one that begins the case: what it fails of is no concern of those who only want the case.
    let isBirth: Bool
    let outcome = Promise<Outcome>()
    /// Fulfilled once nothing of it is under way any more.
    let end = Promise<Void>()

    init(isBirth: Bool) { self.isBirth = isBirth }
  }

  struct Awake {
    let host: FlowHost
    /// When it was last used, counted in uses.
    var used: Int
    /// How many use it now.
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

  /// Somebody who waits for a place.
  struct Waiter {
    let number: Int
    let place = Promise<Result<Void, JournalError>>()
  }

  /// The next step of a caller.
  enum Step {
    case use(FlowHost)
    /// Activates the case.
    case wake(Activation)
    /// Waits until somebody else has activated it.
    case waitForActivation(Activation)
    /// Waits until it sleeps.
    case waitForRest(Promise<Void>)
    case waitForPlace(Waiter)
    case closed
  }

  private var slots: [String: Slot] = [:]
  private var pinned = 0
  private var resting = 0
  /// Places that were given to waiters who have not taken them yet.
  private var reserved = 0
  private var uses = 0
  private var numbers = 0
  private var outside: [Waiter] = []
  private var clock: [Waiter] = []
  private let places: Int
  private(set) var isClosed = false

  /// - Parameter places: how many there are.
  init(places: Int) { self.places = places }

  /// How many cases are awake.
  var count: Int { slots.values.count { if case .awake = $0 { true } else { false } } }

  private var taken: Int { slots.count - pinned + reserved }

  private var waiting: Int { outside.count + clock.count }

  func isKnown(_ id: String) -> Bool { slots[id] != nil }

  /// True while a case is awake in a host.
  func has(_ id: String, _ host: FlowHost) -> Bool {
    if case .awake(let awake)? = slots[id] { awake.host === host } else { false }
  }

  /// The hosts of all that are awake; nil while one is used, or on its way.
  var unused: [FlowHost]? {
    var hosts: [FlowHost] = []
    for slot in slots.values {
      guard case .awake(let awake) = slot, awake.users == 0 else { return nil }
      hosts.append(awake.host)
    }
    return hosts
  }

  /// The hosts of all that are awake, or being put to sleep.
  var hosts: [FlowHost] {
    slots.values.compactMap { slot in
      switch slot {
      case .waking: nil
      case .awake(let awake): awake.host
      case .resting(let resting): resting.host
      }
    }
  }

  // MARK: Using

  /// The next step of somebody who wants a case.
  ///
  /// - Parameter hasPlace: true for one who has waited for a place and has it now.
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

  /// Uses a case that is awake; nil for one that is not, which is not woken.
  mutating func requestIfAwake(_ id: String) -> FlowHost? {
    guard case .awake? = slots[id],
      case .use(let host) = request(id, isBirth: false, by: .outside, hasPlace: false)
    else { return nil }
    return host
  }

  /// Puts an activated case in its place, with one who uses it.
  ///
  /// - Returns: false if it is not wanted any more.
  mutating func finish(_ activation: Activation, of id: String, in host: FlowHost?) -> Bool {
    guard case .waking(let present)? = slots[id], present === activation else { return false }
    uses += 1
    slots[id] = host.map { .awake(Awake(host: $0, used: uses, users: 1)) }
    return true
  }

  /// Somebody uses a case no more.
  mutating func leave(_ id: String, _ host: FlowHost, mayRest: Bool) {
    guard case .awake(var awake)? = slots[id], awake.host === host else { return }
    awake.users -= 1
    slots[id] = .awake(awake)
    pin(id, host, !mayRest)
  }

  /// Something of a case lives in memory alone from now on, or no more.
  mutating func pin(_ id: String, _ host: FlowHost, _ isPinned: Bool) {
    guard case .awake(var awake)? = slots[id], awake.host === host, awake.users == 0,
      awake.isPinned != isPinned
    else { return }
    awake.isPinned = isPinned
    pinned += isPinned ? 1 : -1
    slots[id] = .awake(awake)
  }

  /// A case is another's.
  mutating func forget(_ id: String, _ host: FlowHost) {
    guard has(id, host) else { return }
    remove(id)
  }

  private mutating func remove(_ id: String) {
    if case .awake(let awake)? = slots.removeValue(forKey: id), awake.isPinned { pinned -= 1 }
  }

  // MARK: Places

  /// Cases that are to sleep now, the longest unused first: they are being put to sleep from now on.
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
    // An eighth at once, so that they are not looked through for each.
    let chosen = idle.sorted { $0.awake.used < $1.awake.used }.prefix(max(needed, places / 8))
    return chosen.map { id, awake in
      let rest = Resting(id: id, host: awake.host)
      slots[id] = .resting(rest)
      resting += 1
      return rest
    }
  }

  /// A case sleeps, or goes on because something of it lives in memory alone.
  mutating func finish(_ rest: Resting, didRest: Bool) {
    guard case .resting(let present)? = slots[rest.id], present.end === rest.end else { return }
    resting -= 1
    slots[rest.id] = nil
    if didRest { return }
    uses += 1
    slots[rest.id] = .awake(Awake(host: rest.host, used: uses, users: 0, isPinned: true))
    pinned += 1
  }

  /// Gives free places to those who wait.
  mutating func takeReady() -> [Waiter] {
    var ready: [Waiter] = []
    while taken < places, waiting > 0 {
      ready.append(outside.isEmpty ? clock.removeFirst() : outside.removeFirst())
      reserved += 1
    }
    return ready
  }

  /// Somebody waits no more.
  ///
  /// - Returns: false if a place was given meanwhile.
  mutating func withdraw(_ waiter: Waiter) -> Bool {
    let before = waiting
    outside.removeAll { $0.number == waiter.number }
    clock.removeAll { $0.number == waiter.number }
    return waiting < before
  }

  // MARK: The end

  /// The rest of the work for cases that are awake no more.
  struct Leaving {
    var hosts: [FlowHost] = []
    var activations: [Activation] = []
    var rests: [Resting] = []
    var waiters: [Waiter] = []
  }

  /// Lets cases go.
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

  /// Takes no requests any more.
  mutating func close() { isClosed = true }

  /// Lets all go, and whoever waits for a place.
  mutating func releaseAll() -> Leaving {
    isClosed = true
    var leaving = release { _ in true }
    leaving.waiters = outside + clock
    (outside, clock) = ([], [])
    return leaving
  }
}
