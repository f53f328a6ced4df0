import FlowLanguage
import LuaRuntime

/// The views that have subscribers, with their subscribers.
///
/// A view that no change has touched is not computed, and its subscribers are not visited.
package struct WatchedViews {
  private final class Subscriber {
    let number: Int
    let handler: Delivery.ViewHandler
    /// Returns true as long as the subscription's owner exists; nil if there is no owner.
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
    /// The subscribers, in the order of subscription.
    var subscribers: [Subscriber] = []
    /// The result of the view, while its subscribers are visited.
    var result: Result<Value, ViewError>?
    /// The approximate size of the view's value, in bytes.
    var size = 0

    init(_ view: FlowReader) { self.view = view }
  }

  /// The watched views, by the number of the view's reader.
  private var watched: [Watched?] = []
  /// The view's reader, by the number of the subscription.
  private var readers: [Int: Int32] = [:]
  private var touched: [Watched] = []
  /// The number of subscriptions at which those without an owner are removed.
  private var mostUnswept = 16
  /// The approximate size of all values, in bytes.
  package private(set) var size = 0

  package var isEmpty: Bool { readers.isEmpty }

  package mutating func add(
    _ number: Int, to view: FlowReader, current: (value: Value, size: Int)?,
    while isWanted: (@Sendable () -> Bool)?,
    _ handler: @escaping Delivery.ViewHandler
  ) {
    if readers.count >= mostUnswept {
      for case let watched? in watched { removeGone(of: watched) }
      mostUnswept = max(16, 2 * readers.count)
    }
    add(Subscriber(number, handler, while: isWanted, last: current?.value), to: view)
    if let current, let watched = watched[Int(view.number)] {
      size += current.size - watched.size
      watched.size = current.size
    }
  }

  private mutating func add(_ subscriber: Subscriber, to view: FlowReader) {
    let index = Int(view.number)
    while watched.count <= index { watched.append(nil) }
    let there = watched[index] ?? Watched(view)
    there.subscribers.append(subscriber)
    watched[index] = there
    readers[subscriber.number] = view.number
  }

  package mutating func remove(_ number: Int) {
    guard let reader = readers.removeValue(forKey: number), let there = watched[Int(reader)]
    else { return }
    // They are in the order of their numbers.
    var (low, high) = (0, there.subscribers.count)
    while low < high {
      let middle = (low + high) / 2
      if there.subscribers[middle].number < number { low = middle + 1 } else { high = middle }
    }
    if there.subscribers.dropFirst(low).first?.number == number {
      there.subscribers.remove(at: low)
    }
    if there.subscribers.isEmpty {
      watched[Int(reader)] = nil
      size -= there.size
    }
  }

  private mutating func removeGone(of watched: Watched) {
    for subscriber in watched.subscribers where subscriber.isGone { remove(subscriber.number) }
  }

  // MARK: Changes

  /// Marks the view of this reader as outdated, because something that it has read changed.
  package mutating func touch(_ reader: Int32) {
    let index = Int(reader)
    guard index < watched.count, let there = watched[index] else { return }
    removeGone(of: there)
    if !there.subscribers.isEmpty { touched.append(there) }
  }

  mutating func touchAll() {
    for case let watched? in watched { touch(watched.view.number) }
  }

  /// Computes the outdated views, and adds deliveries of those that changed, in the order of subscription.
  package mutating func collect(
    into deliveries: inout [Delivery], value: Reading
  ) {
    if touched.isEmpty { return }
    if touched.count == 1 {
      for subscriber in touched[0].subscribers {
        ask(subscriber, of: touched[0], value, &deliveries)
      }
    } else {
      var all: [(subscriber: Subscriber, watched: Watched)] = []
      all.reserveCapacity(touched.count)
      for watched in touched {
        for subscriber in watched.subscribers { all.append((subscriber, watched)) }
      }
      all.sort { $0.subscriber.number < $1.subscriber.number }
      for (subscriber, watched) in all { ask(subscriber, of: watched, value, &deliveries) }
    }
    for watched in touched { watched.result = nil }
    touched.removeAll(keepingCapacity: true)
  }

  /// A function that computes a view, and returns its value and the size of the value in bytes.
  ///
  /// It fails if the value does not fit beside those of the other watched views, whose size is its argument.
  package typealias Reading = (FlowReader, _ others: Int) -> Result<
    (value: Value, size: Int), ViewError
  >

  private mutating func ask(
    _ subscriber: Subscriber, of watched: Watched, _ value: Reading, _ deliveries: inout [Delivery]
  ) {
    let result = watched.result ?? work(out: watched, value)
    watched.result = result
    switch result {
    case .success(let value):
      if value == subscriber.last { return }
      subscriber.last = value
    case .failure: subscriber.last = nil
    }
    deliveries.append(.value(result, for: subscriber.number, subscriber.handler))
  }

  private mutating func work(out watched: Watched, _ value: Reading) -> Result<Value, ViewError> {
    size -= watched.size
    let sized = value(watched.view, size)
    watched.size = (try? sized.get().size) ?? 0
    size += watched.size
    return sized.map(\.value)
  }

  // MARK: Another flow

  /// Rebinds the subscriptions to the views of a reloaded flow, and adds deliveries for views that are gone.
  mutating func rebind(
    into deliveries: inout [Delivery], _ view: (String) -> FlowReader?
  ) {
    let all = watched.compactMap { $0 }.flatMap { watched in
      watched.subscribers.map { ($0, watched.view.function.name) }
    }
    (watched, readers, touched, size) = ([], [:], [], 0)
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
