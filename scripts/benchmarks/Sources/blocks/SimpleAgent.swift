import Foundation

/// The post's agent, written out as it stands there.
///
/// Only additions that Swift 6 needs to compile it were made: `@unchecked Sendable` on the class, and `@Sendable` on
/// the closure that `update` hands to its queue. (The queue is all that touches `state`.)
public final class SimpleAgent<State>: @unchecked Sendable {
  private var state: State
  private let queue: DispatchQueue

  /// Makes an agent around a state.
  public init(state: State) {
    self.state = state
    self.queue = DispatchQueue(label: "pro.tricksofthetrade.SimpleAgent", qos: .userInitiated)
  }

  /// Runs a closure on the state and returns its result.
  public func fetch<Result>(closure: ((State) -> Result)) -> Result {
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    var result: Result!
    queue.sync {
      result = closure(self.state)
    }
    return result
  }

  /// Replaces the state, some time.
  public func update(closure: @escaping @Sendable (State) -> State) {
    queue.async {
      self.state = closure(self.state)
    }
  }

  /// Replaces the state and returns a result.
  public func fetchAndUpdate<Result>(closure: (State) -> (Result, State)) -> Result {
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    var result: Result!
    queue.sync {
      let (returnValue, newState) = closure(self.state)
      self.state = newState
      result = returnValue
    }
    return result
  }
}
