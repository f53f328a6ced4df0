import Platform

/// A subscription to a view, or to every commit.
///
/// It lasts until it is cancelled or released, or the host is stopped or released. Keep it for as long as you
/// want its handler to be called:
///
/// ```swift
/// final class Display {
///   private var subscription: ViewSubscription?
///
///   func show(_ host: FlowHost) throws {
///     subscription = try host.subscribe("takings") { [weak self] in self?.show($0) }
///   }
/// }
/// ```
///
/// A subscription with an owner (`FlowHost.subscribe(_:owner:_:)`) lasts as long as its owner, even if it is
/// released. A subscription does not keep its host alive.
public final class ViewSubscription: Sendable {
  private let endsWhenReleased: Bool
  private let end: @Sendable () -> Void

  package init(endsWhenReleased: Bool, _ end: @escaping @Sendable () -> Void) {
    (self.endsWhenReleased, self.end) = (endsWhenReleased, end)
  }

  deinit {
    if endsWhenReleased { end() }
  }

  /// Ends the subscription and releases its handler.
  ///
  /// The handler is not called again; a call that is running on another thread runs to its end. `cancel` may
  /// be called from anywhere, also from the handler and from inside the host, and never blocks. Cancelling
  /// twice does nothing.
  public func cancel() { end() }
}

/// A holder of a subscriber's handler, until the subscription ends.
final class Receiver<Message>: Sendable {
  /// A class, because a closure in a lock would be wrapped anew at each access.
  private final class Held: Sendable {
    let tell: @Sendable (Message) -> Void
    init(_ tell: @escaping @Sendable (Message) -> Void) { self.tell = tell }
  }

  private let held: Mutex<Held?>

  package init(_ handler: @escaping @Sendable (Message) -> Void) { held = Mutex(Held(handler)) }

  /// A closure that calls the handler until the subscription has ended.
  package var handler: @Sendable (Message) -> Void { { self.tell($0) } }

  private func tell(_ message: Message) {
    // Outside the lock: a handler may end its own subscription.
    let held = held.withLock { $0 }
    held?.tell(message)
  }

  package func end() {
    // The handler and its captures are released outside the lock, too.
    let over = held.withLock { held in
      defer { held = nil }
      return held
    }
    _ = over
  }
}
