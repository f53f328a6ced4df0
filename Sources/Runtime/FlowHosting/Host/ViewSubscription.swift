import Synchronization

/// A subscription to a view, or to every transition.
///
/// It lasts until it is cancelled or released, or the host is stopped or goes. Keep it for as long as
/// you want to be told:
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
/// One that has an owner (`FlowHost.subscribe(_:owner:_:)`) lasts as long as that, whether it is kept
/// itself or not. A subscription does not keep its host alive.
public final class ViewSubscription: Sendable {
  private let endsWhenReleased: Bool
  private let end: @Sendable () -> Void

  package init(endsWhenReleased: Bool, _ end: @escaping @Sendable () -> Void) {
    (self.endsWhenReleased, self.end) = (endsWhenReleased, end)
  }

  deinit {
    if endsWhenReleased { end() }
  }

  /// Ends the subscription and releases its handler, which is not called again; a call that is under way
  /// on another thread runs to its end.
  ///
  /// It may be called from anywhere, also from the handler and from inside the host, and does not wait
  /// for anybody. Cancelling twice does nothing.
  public func cancel() { end() }
}

/// What a subscriber is told by, until that is over.
final class Receiver<Message>: Sendable {
  /// A closure in a lock would be wrapped anew each time that it is looked at.
  private final class Held: Sendable {
    let tell: @Sendable (Message) -> Void
    init(_ tell: @escaping @Sendable (Message) -> Void) { self.tell = tell }
  }

  private let held: Mutex<Held?>

  package init(_ handler: @escaping @Sendable (Message) -> Void) { held = Mutex(Held(handler)) }

  /// Tells as long as it is not over.
  package var handler: @Sendable (Message) -> Void { { self.tell($0) } }

  private func tell(_ message: Message) {
    // Outside the lock: a handler may end its own subscription.
    let held = held.withLock { $0 }
    held?.tell(message)
  }

  package func end() {
    // What the handler holds goes outside the lock, too.
    let over = held.withLock { held in
      defer { held = nil }
      return held
    }
    _ = over
  }
}
