import LuaRuntime

/// The views that have subscribers, each with its own.
///
/// A view that nothing has touched is not looked at, and neither are its subscribers.
struct WatchedViews {
  private final class Subscriber {
    let number: Int
    let handler: Delivery.ViewHandler
    /// Whether the subscription's owner is still there; nil where it has none.
    let isWanted: (@Sendable () -> Bool)?
    var last: Value?

    init(
      _ number: Int, _ handler: @escaping Delivery.ViewHandler,
      while isWanted: (@Sendable () -> Bool)?, last: Value?
    ) {
      (self.number, self.handler, self.isWanted, self.last) = (number, handler, isWanted, last)
    }

    var isGone: Bool { isWanted?() == false }
  }

  private final class Watched {
    let view: FlowReader
    /// In the order in which they subscribed.
    var subscribers: [Subscriber] = []
    /// What came of the view, for as long as its subscribers are gone through.
    var result: Result<Value, ViewError>?

    init(_ view: FlowReader) { self.view = view }
  }

  /// By the number of the view's reader.
  private var watched: [Watched?] = []
  /// To which reader each subscription belongs.
  private var readers: [Int: Int32] = [:]
  private var touched: [Watched] = []
  /// At so many subscriptions those are looked for whose owners are gone.
  private var mostUnswept = 16

  var isEmpty: Bool { readers.isEmpty }

  mutating func add(
    _ number: Int, to view: FlowReader, current: Value?, while isWanted: (@Sendable () -> Bool)?,
    _ handler: @escaping Delivery.ViewHandler
  ) {
    if readers.count >= mostUnswept {
      for case let watched? in watched { removeGone(of: watched) }
      mostUnswept = max(16, 2 * readers.count)
    }
    add(Subscriber(number, handler, while: isWanted, last: current), to: view)
  }

  private mutating func add(_ subscriber: Subscriber, to view: FlowReader) {
    let index = Int(view.number)
    while watched.count <= index { watched.append(nil) }
    let there = watched[index] ?? Watched(view)
    there.subscribers.append(subscriber)
    watched[index] = there
    readers[subscriber.number] = view.number
  }

  mutating func remove(_ number: Int) {
    guard let reader = readers.removeValue(forKey: number), let there = watched[Int(reader)]
    else { return }
    there.subscribers.removeAll { $0.number == number }
    if there.subscribers.isEmpty { watched[Int(reader)] = nil }
  }

  private mutating func removeGone(of watched: Watched) {
    for subscriber in watched.subscribers where subscriber.isGone { remove(subscriber.number) }
  }

  // MARK: Changes

  /// Notes that what the view of this reader has read is no longer the same.
  mutating func touch(_ reader: Int32) {
    let index = Int(reader)
    guard index < watched.count, let there = watched[index] else { return }
    removeGone(of: there)
    if !there.subscribers.isEmpty { touched.append(there) }
  }

  mutating func touchAll() {
    for case let watched? in watched { touch(watched.view.number) }
  }

  /// Works out the views that were touched, and adds what is to be told of those that changed, in
  /// the order in which their subscribers came.
  mutating func collect(
    into deliveries: inout [Delivery], value: (FlowReader) -> Result<Value, ViewError>
  ) {
    if touched.isEmpty { return }
    if touched.count == 1 {
      for subscriber in touched[0].subscribers {
        WatchedViews.ask(subscriber, of: touched[0], value, &deliveries)
      }
    } else {
      let all = touched.flatMap { watched in watched.subscribers.map { ($0, watched) } }
      for (subscriber, watched) in all.sorted(by: { $0.0.number < $1.0.number }) {
        WatchedViews.ask(subscriber, of: watched, value, &deliveries)
      }
    }
    for watched in touched { watched.result = nil }
    touched.removeAll(keepingCapacity: true)
  }

  private static func ask(
    _ subscriber: Subscriber, of watched: Watched,
    _ value: (FlowReader) -> Result<Value, ViewError>, _ deliveries: inout [Delivery]
  ) {
    let result = watched.result ?? value(watched.view)
    watched.result = result
    switch result {
    case .success(let value):
      if value == subscriber.last { return }
      subscriber.last = value
    case .failure: subscriber.last = nil
    }
    deliveries.append(.value(result, for: subscriber.number, subscriber.handler))
  }

  // MARK: Another flow

  /// Points the subscriptions at the views of a flow that was loaded again, and adds what is to be
  /// told where a view is gone.
  mutating func rebind(
    into deliveries: inout [Delivery], _ view: (String) -> FlowReader?
  ) {
    let all = watched.compactMap { $0 }.flatMap { watched in
      watched.subscribers.map { ($0, watched.view.function.name) }
    }
    (watched, readers, touched) = ([], [:], [])
    for (subscriber, name) in all.sorted(by: { $0.0.number < $1.0.number }) {
      if let found = view(name) {
        add(subscriber, to: found)
      } else {
        let gone = ViewError.undeclared("view \(name) is gone since the reload")
        deliveries.append(.value(.failure(gone), for: subscriber.number, subscriber.handler))
      }
    }
  }
}
