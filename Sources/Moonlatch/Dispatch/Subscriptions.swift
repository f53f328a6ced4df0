import LuaRuntime

/// Who is told when a view changes, in the order in which they subscribed.
struct Subscriptions {
  typealias Handler = @Sendable (Result<Value, ViewError>) -> Void

  private struct Entry {
    let number: Int
    var view: FlowReader
    let handler: Handler
    var last: Value?
    /// Whether the subscription's owner is still there.
    let isWanted: @Sendable () -> Bool
  }

  private struct Observer {
    let number: Int
    let handler: @Sendable (Transition) -> Void
    let isWanted: @Sendable () -> Bool
  }

  /// A change that a subscriber is to be told of, once the engine is free again.
  struct Delivery: Sendable {
    let subscription: Int
    /// The value of a view; nil where something else is told.
    let value: Result<Value, ViewError>?
    let tell: @Sendable () -> Void

    init(subscription: Int, tell: @escaping @Sendable () -> Void) {
      (self.subscription, value, self.tell) = (subscription, nil, tell)
    }

    init(subscription: Int, value: Result<Value, ViewError>, handler: @escaping Handler) {
      (self.subscription, self.value, tell) = (subscription, value, { handler(value) })
    }
  }

  private var entries: [Entry] = []
  private var observers: [Observer] = []
  private var waiters: [(revision: Int, go: @Sendable () -> Void)] = []
  private var pending: [Delivery] = []
  private var next = 0

  var isEmpty: Bool { entries.isEmpty && observers.isEmpty && waiters.isEmpty && pending.isEmpty }
  var readsViews: Bool { !entries.isEmpty }

  mutating func add(
    _ view: FlowReader, current: Value?, while isWanted: @escaping @Sendable () -> Bool = { true },
    _ handler: @escaping Handler
  ) -> Int {
    next += 1
    entries.append(
      Entry(number: next, view: view, handler: handler, last: current, isWanted: isWanted))
    return next
  }

  mutating func observe(
    while isWanted: @escaping @Sendable () -> Bool,
    _ handler: @escaping @Sendable (Transition) -> Void
  ) -> Int {
    next += 1
    observers.append(Observer(number: next, handler: handler, isWanted: isWanted))
    return next
  }

  mutating func remove(_ number: Int) {
    entries.removeAll { $0.number == number }
    observers.removeAll { $0.number == number }
  }

  /// Calls `go` once no effect of that transition waits any more.
  mutating func wait(for revision: Int, _ go: @escaping @Sendable () -> Void) {
    waiters.append((revision, go))
  }

  /// Notes whose effects have ended.
  mutating func endWaits(_ isUnderWay: (Int) -> Bool) {
    guard !waiters.isEmpty else { return }
    for waiter in waiters where !isUnderWay(waiter.revision) {
      pending.append(Delivery(subscription: 0, tell: waiter.go))
    }
    waiters.removeAll { !isUnderWay($0.revision) }
  }

  /// Ends all subscriptions; what is pending is still told.
  mutating func removeAll() { (entries, observers) = ([], []) }

  /// Notes a transition for those who observe all of them, and drops what nobody owns any more.
  mutating func note(_ transition: Transition) {
    entries.removeAll { !$0.isWanted() }
    observers.removeAll { !$0.isWanted() }
    for observer in observers {
      pending.append(
        Delivery(subscription: observer.number) { [handler = observer.handler] in
          handler(transition)
        })
    }
  }

  func contains(_ number: Int) -> Bool { entries.contains { $0.number == number } }

  /// Points the subscriptions at the views of a flow that was loaded again.
  mutating func rebind(_ view: (String) -> FlowReader?) {
    for index in entries.indices.reversed() {
      let entry = entries[index]
      if let found = view(entry.view.function.name) {
        entries[index].view = found
      } else {
        entries.remove(at: index)
        let gone = ViewError.undeclared("view \(entry.view.function.name) is gone since the reload")
        pending.append(
          Delivery(subscription: entry.number, value: .failure(gone), handler: entry.handler))
      }
    }
  }

  /// Works out the new values of the views that were touched and notes who is to be told.
  mutating func collect(
    touched: Set<Int32>, value: (FlowReader) -> Result<Value, ViewError>
  ) {
    for index in entries.indices where touched.contains(entries[index].view.number) {
      let entry = entries[index]
      switch value(entry.view) {
      case .success(let value) where value == entry.last: continue
      case .success(let value):
        entries[index].last = value
        pending.append(
          Delivery(subscription: entry.number, value: .success(value), handler: entry.handler))
      case .failure(let error):
        entries[index].last = nil
        pending.append(
          Delivery(subscription: entry.number, value: .failure(error), handler: entry.handler))
      }
    }
  }

  mutating func takePending() -> [Delivery] {
    defer { pending = [] }
    return pending
  }
}
