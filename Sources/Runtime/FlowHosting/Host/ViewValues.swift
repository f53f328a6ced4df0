import FlowKernel
import LuaRuntime

/// The values of a view, as an asynchronous sequence: the one at the beginning, then each change.
///
/// ```swift
/// for try await takings in host.values(of: "takings", as: Int.self) { print(takings) }
/// ```
///
/// Each iteration makes its own subscription, and ends it when the loop is left or its task is cancelled. The
/// iteration ends when the host is stopped or released, when the case ends, and when its `Cases` are closed
/// or released. It throws if the view has no value: the view raised an error, is not declared, its value is
/// not an `Element`, or the case cannot be read. The sequence keeps neither a host nor `Cases` alive.
///
/// Values are decoded as they are read, on the actor of the reader.
public struct ViewValues<Element: Decodable>: AsyncSequence, Sendable {
  /// The treatment of values that have not been read yet.
  public enum Buffering: Sendable, Hashable {
    /// Keeps only the newest value: a slow reader sees the present, not every change.
    case newest
    /// Keeps up to so many of the newest values, at least one; older ones are dropped.
    case bounded(Int)
    /// Keeps all values, for a reader that must not miss any.
    case unbounded

    package var policy: AsyncStream<Result<Value, ViewError>>.Continuation.BufferingPolicy {
      switch self {
      case .newest: .bufferingNewest(1)
      case .bounded(let count): .bufferingNewest(Swift.max(count, 1))
      case .unbounded: .unbounded
      }
    }
  }

  /// The type of the errors that an iteration throws.
  public typealias Failure = ViewError

  package let view: String
  let buffering: Buffering
  private let source: any ViewSource

  package init(of view: String, buffering: Buffering, from source: any ViewSource) {
    (self.view, self.buffering, self.source) = (view, buffering, source)
  }

  /// Subscribes to the view, and returns an iterator over its values.
  public func makeAsyncIterator() -> Iterator {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Result<Value, ViewError>.self, bufferingPolicy: buffering.policy)
    let end = source.send(view, to: ViewReceiver(continuation))
    continuation.onTermination = { _ in end() }
    return Iterator(base: stream.makeAsyncIterator(), view: view)
  }

  /// An iterator over the values of a view.
  public struct Iterator: AsyncIteratorProtocol {
    /// The type of the errors that `next` throws.
    public typealias Failure = ViewError

    private var base: AsyncStream<Result<Value, ViewError>>.Iterator
    private let view: String
    /// True once an error was thrown, after which nothing follows.
    private var isOver = false

    init(base: AsyncStream<Result<Value, ViewError>>.Iterator, view: String) {
      (self.base, self.view) = (base, view)
    }

    /// Returns the next value, or nil at the end.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(ViewError) -> Element? {
      if isOver { return nil }
      guard let result = await base.next(isolation: actor) else { return nil }
      do throws(ViewError) {
        return try ViewError.decode(Element.self, from: result.get(), of: view)
      } catch {
        isOver = true
        throw error
      }
    }

    /// Returns the next value, or nil at the end.
    public mutating func next() async throws(ViewError) -> Element? {
      try await next(isolation: nil)
    }
  }
}
