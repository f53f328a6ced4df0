import FlowKernel

/// The values of a view, as an asynchronous sequence: the one at the beginning, then each change.
///
/// ```swift
/// for try await takings in host.values(of: "takings", as: Int.self) { print(takings) }
/// ```
///
/// Each iteration subscribes for itself and ends its subscription when it is left or its task is
/// cancelled. It ends when the host is stopped or goes, and throws when the view has no value: it
/// raised an error, is not declared, or its value is not an `Element`. The sequence does not keep its
/// host alive.
public struct ViewValues<Element: Decodable & Sendable>: AsyncSequence, Sendable {
  /// What happens to values that nobody has read yet.
  public enum Buffering: Sendable, Hashable {
    /// Only the newest is kept: a slow reader sees the present, not every step.
    case newest
    /// The newest ones are kept, so many of them; older ones are dropped.
    case bounded(Int)
    /// All are kept, for a reader that must not miss any.
    case unbounded

    package var policy: AsyncStream<Result<Element, ViewError>>.Continuation.BufferingPolicy {
      switch self {
      case .newest: .bufferingNewest(1)
      case .bounded(let count): .bufferingNewest(Swift.max(count, 1))
      case .unbounded: .unbounded
      }
    }
  }

  /// What an iteration throws.
  public typealias Failure = ViewError

  package weak let host: FlowHost?
  package let view: String
  let buffering: Buffering

  /// Subscribes, and reads.
  public func makeAsyncIterator() -> Iterator {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Result<Element, ViewError>.self, bufferingPolicy: buffering.policy)
    let ending = StreamEnding(continuation)
    do throws(ViewError) {
      // Without a host nobody holds the ending any more, and the stream is over.
      let subscription = try host?.subscribe(view, as: Element.self) { ending.tell($0) }
      continuation.onTermination = { _ in subscription?.cancel() }
    } catch {
      ending.tell(.failure(error))
    }
    return Iterator(base: stream.makeAsyncIterator())
  }

  /// Reads the values one after the other.
  public struct Iterator: AsyncIteratorProtocol {
    /// What reading throws.
    public typealias Failure = ViewError

    package var base: AsyncStream<Result<Element, ViewError>>.Iterator

    /// The next value, or nil at the end.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(ViewError) -> Element? {
      try await base.next(isolation: actor)?.get()
    }

    /// The next value, or nil at the end.
    public mutating func next() async throws(ViewError) -> Element? {
      try await next(isolation: nil)
    }
  }
}

/// Ends a stream when nobody is left to tell it anything: the host, which held its subscription,
/// has gone.
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
