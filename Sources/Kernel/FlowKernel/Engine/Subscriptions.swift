import FlowLanguage
import LuaRuntime

/// The subscriptions to views, to commits and rejected dispatches, and to the end of effects.
package struct Subscriptions {
  private struct Observer {
    let number: Int
    let handler: Delivery.CommitHandler
    /// Receives rejected dispatches; nil if the observer does not want them.
    var refusals: Delivery.RefusalHandler?
    /// Returns true as long as the owner exists; nil if there is no owner.
    let isWanted: (@Sendable () -> Bool)?

    var isGone: Bool { isWanted?() == false }
  }

  private var views = WatchedViews()
  private var observers: [Observer] = []
  /// The waits for the end of effects that are over; nil before the first wait.
  private var ends: EffectsEnd.Line?
  private var pending: [Delivery] = []
  /// The number of the last message that was delivered.
  package var lastMessage = 0
  private var next = 0

  /// The interests of the subscribers.
  private(set) var interests: EngineObservers.Interests = []

  /// The approximate size of the values of watched views, in bytes.
  package var size: Int { views.size }

  package var isEmpty: Bool {
    views.isEmpty && observers.isEmpty && pending.isEmpty && ends?.ended.isEmpty ?? true
  }

  /// True if nobody subscribes.
  package var hasNobody: Bool { views.isEmpty && observers.isEmpty }

  package mutating func add(
    _ view: FlowReader, current: (value: Value, size: Int)?,
    while isWanted: (@Sendable () -> Bool)? = nil,
    _ handler: @escaping Delivery.ViewHandler
  ) -> Int {
    next += 1
    views.add(next, to: view, current: current, while: isWanted, handler)
    declareInterests()
    return next
  }

  package mutating func observe(
    while isWanted: (@Sendable () -> Bool)?, refusals: Delivery.RefusalHandler? = nil,
    _ handler: @escaping Delivery.CommitHandler
  ) -> Int {
    next += 1
    observers.append(
      Observer(number: next, handler: handler, refusals: refusals, isWanted: isWanted))
    declareInterests()
    return next
  }

  package mutating func remove(_ numbers: [Int]) {
    for number in numbers { views.remove(number) }
    let numbers = Set(numbers)
    observers.removeAll { numbers.contains($0.number) }
    declareInterests()
  }

  private mutating func declareInterests() {
    interests = hasNobody ? [] : .commits
    if observers.contains(where: { $0.refusals != nil }) { interests.insert(.rejections) }
  }

  /// Appends a delivery to the pending ones.
  package mutating func tell(_ delivery: Delivery) { pending.append(delivery) }

  /// Calls `go` once the returned object is released.
  ///
  /// Messages that come before the release are delivered first. If there are none, no slow subscriber delays `go`.
  package mutating func wait(_ go: @escaping @Sendable () -> Void) -> EffectsEnd {
    let line = ends ?? EffectsEnd.Line()
    ends = line
    return EffectsEnd(in: line, since: lastMessage, go)
  }

  /// Adds a delivery of a commit to each observer.
  package mutating func note(_ commit: Commit) {
    guard !observers.isEmpty else { return }
    observers.removeAll(where: \.isGone)
    for observer in observers {
      pending.append(.commit(commit, observer.handler))
    }
  }

  /// Adds a delivery of a rejected dispatch to each observer that wants these.
  package mutating func note(_ dispatch: RejectedDispatch) {
    for observer in observers where !observer.isGone {
      if let refusals = observer.refusals { pending.append(.refusal(dispatch, refusals)) }
    }
  }

  /// Rebinds the subscriptions to the views of a reloaded flow.
  mutating func rebind(_ view: (String) -> FlowReader?) {
    views.rebind(into: &pending, view)
    views.touchAll()
  }

  /// Marks the view of this reader as outdated, because something that it has read changed.
  package mutating func touch(_ reader: Int32) { views.touch(reader) }

  /// Computes the outdated views, and adds deliveries of those that changed.
  mutating func collect(_ value: WatchedViews.Reading) {
    views.collect(into: &pending, value: value)
  }

  /// Removes and returns the pending deliveries.
  ///
  /// - Parameter atOnce: true if waits that are over are called at once if no delivery comes before them.
  package mutating func takePending(atOnce: Bool = true) -> [Delivery] {
    for (since, go) in ends?.takeAll() ?? [] {
      if atOnce, pending.isEmpty, since == lastMessage {
        go()
      } else {
        pending.append(.end(go))
      }
    }
    if pending.isEmpty { return [] }
    defer { pending = [] }
    return pending
  }
}
