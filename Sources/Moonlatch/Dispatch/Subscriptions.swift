import LuaRuntime

/// Who is told when a view changes, in the order in which they subscribed.
struct Subscriptions {
  typealias Handler = @Sendable (Result<Value, ViewError>) -> Void

  private struct Entry {
    let number: Int
    var view: FlowReader
    let handler: Handler
    var last: Value?
  }

  /// A change that a subscriber is to be told of, once the engine is free again.
  struct Delivery: Sendable {
    let subscription: Int
    let value: Result<Value, ViewError>
    let handler: Handler
  }

  private var entries: [Entry] = []
  private var pending: [Delivery] = []
  private var next = 0

  var isEmpty: Bool { entries.isEmpty }

  mutating func add(_ view: FlowReader, current: Value?, _ handler: @escaping Handler) -> Int {
    next += 1
    entries.append(Entry(number: next, view: view, handler: handler, last: current))
    return next
  }

  mutating func remove(_ number: Int) { entries.removeAll { $0.number == number } }

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
