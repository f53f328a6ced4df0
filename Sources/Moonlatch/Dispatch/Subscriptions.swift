import LuaRuntime

/// Who is told of what happens: of views that change, of every transition, of the end of effects.
struct Subscriptions {
  private struct Observer {
    let number: Int
    let handler: Delivery.TransitionHandler
    /// Whether the owner is still there; nil where there is none.
    let isWanted: (@Sendable () -> Bool)?

    var isGone: Bool { isWanted?() == false }
  }

  private var views = WatchedViews()
  private var observers: [Observer] = []
  private var waiters: [(revision: Int, go: @Sendable () -> Void)] = []
  private var pending: [Delivery] = []
  private var next = 0

  var isEmpty: Bool { views.isEmpty && observers.isEmpty && waiters.isEmpty && pending.isEmpty }

  mutating func add(
    _ view: FlowReader, current: Value?, while isWanted: (@Sendable () -> Bool)? = nil,
    _ handler: @escaping Delivery.ViewHandler
  ) -> Int {
    next += 1
    views.add(next, to: view, current: current, while: isWanted, handler)
    return next
  }

  mutating func observe(
    while isWanted: (@Sendable () -> Bool)?, _ handler: @escaping Delivery.TransitionHandler
  ) -> Int {
    next += 1
    observers.append(Observer(number: next, handler: handler, isWanted: isWanted))
    return next
  }

  mutating func remove(_ numbers: [Int]) {
    for number in numbers { views.remove(number) }
    let numbers = Set(numbers)
    observers.removeAll { numbers.contains($0.number) }
  }

  /// Ends all subscriptions; what is pending is still told.
  mutating func removeAll() { (views, observers) = (WatchedViews(), []) }

  /// Calls `go` once no effect of that transition waits any more.
  mutating func wait(for revision: Int, _ go: @escaping @Sendable () -> Void) {
    waiters.append((revision, go))
  }

  /// Notes whose effects have ended.
  mutating func endWaits(_ isUnderWay: (Int) -> Bool) {
    guard !waiters.isEmpty else { return }
    for waiter in waiters where !isUnderWay(waiter.revision) {
      pending.append(Delivery(subscription: 0, message: .end(waiter.go)))
    }
    waiters.removeAll { !isUnderWay($0.revision) }
  }

  /// Notes a transition for those who observe all of them.
  mutating func note(_ transition: Transition) {
    guard !observers.isEmpty else { return }
    observers.removeAll(where: \.isGone)
    for observer in observers {
      pending.append(
        Delivery(
          subscription: observer.number, message: .transition(transition, observer.handler)))
    }
  }

  /// Points the subscriptions at the views of a flow that was loaded again.
  mutating func rebind(_ view: (String) -> FlowReader?) {
    views.rebind(into: &pending, view)
    views.touchAll()
  }

  /// Notes that what the view of this reader has read is no longer the same.
  mutating func touch(_ reader: Int32) { views.touch(reader) }

  /// Works out the views that were touched and notes who is to be told.
  mutating func collect(_ value: (FlowReader) -> Result<Value, ViewError>) {
    views.collect(into: &pending, value: value)
  }

  mutating func takePending() -> [Delivery] {
    if pending.isEmpty { return [] }
    defer { pending = [] }
    return pending
  }
}
