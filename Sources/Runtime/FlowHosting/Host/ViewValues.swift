import FlowKernel

/// The values of a view, as an asynchronous sequence: the one at the beginning, then each change.
///
/// ```swift
/// for try await takings in host.values(of: "takings", as: Int.self) { print(takings) }
/// ```
///
/// Each iteration makes its own subscription, and ends it when the loop is left or its task is cancelled. The
/// iteration ends when the host is stopped or released. It throws if the view has no value: the view raised
/// an error, is not declared, or its value is not an `Element`. The sequence does not keep its host alive.
public struct ViewValues<Element: Decodable & Sendable>: AsyncSequence, Sendable {
  /// The treatment of values that have not been read yet.
  public enum Buffering: Sendable, Hashable {
    /// Keeps only the newest value: a slow reader sees the present, not every change.
    case newest
    /// Keeps up to so many of the newest values, at least one; older ones are dropped.
    case bounded(Int)
    /// Keeps all values, for a reader that must not miss any.
    case unbounded

    package var policy: AsyncStream<Result<Element, ViewError>>.Continuation.BufferingPolicy {
      switch self {
      case .newest: .bufferingNewest(1)
      case .bounded(let count): .bufferingNewest(Swift.max(count, 1))
      case .unbounded: .unbounded
      }
    }
  }

  /// The type of the errors that an iteration throws.
  public typealias Failure = ViewError

  package weak let host: FlowHost?
  package let view: String
  let buffering: Buffering

  /// Subscribes to the view, and returns an iterator over its values.
  public func makeAsyncIterator() -> Iterator {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Result<Element, ViewError>.self, bufferingPolicy: buffering.policy)
    let ending = StreamEnding(continuation)
    do throws(ViewError) {
      // Without a host nothing holds `ending` any more, and the stream ends.
      let subscription = try host?.subscribe(view, as: Element.self) { ending.tell($0) }
      continuation.onTermination = { _ in subscription?.cancel() }
    } catch {
      ending.tell(.failure(error))
    }
    return Iterator(base: stream.makeAsyncIterator())
  }

  /// An iterator over the values of a view.
  public struct Iterator: AsyncIteratorProtocol {
    /// The type of the errors that `next` throws.
    public typealias Failure = ViewError

    package var base: AsyncStream<Result<Element, ViewError>>.Iterator

    /// Returns the next value, or nil at the end.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(ViewError) -> Element? {
      try await base.next(isolation: actor)?.get()
    }

    /// Returns the next value, or nil at the end.
    public mutating func next() async throws(ViewError) -> Element? {
      try await next(isolation: nil)
    }
  }
}

/// An object that ends a stream when it is released, with the host that held its subscription.
private final class StreamEnding<Element: Sendable>: Sendable {
  private let continuation: AsyncStream<Result<Element, ViewError>>.Continuation

  init(_ continuation: AsyncStream<Result<Element, ViewError>>.Continuation) {
    self.continuation = continuation
  }

  deinit { continuation.finish() }

  func tell(_ value: Result<Element, ViewError>) {
    continuation.yield(value)
    if case .failure = value { continuation.finish() }
  }
}
