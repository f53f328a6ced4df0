import FlowLanguage
import LuaRuntime

/// Who is told of what happens: of views that change, of every transition, of the end of effects.
package struct Subscriptions {
  private struct Observer {
    let number: Int
    let handler: Delivery.CommitHandler
    /// Told of what did not pass, where somebody wants to know.
    var refusals: Delivery.RefusalHandler?
    /// Whether the owner is still there; nil where there is none.
    let isWanted: (@Sendable () -> Bool)?

    var isGone: Bool { isWanted?() == false }
  }

  private var views = WatchedViews()
  private var observers: [Observer] = []
  /// Who waits for the end of effects, once anybody has.
  private var ends: EffectsEnd.Line?
  private var pending: [Delivery] = []
  /// The number of the message with which somebody was last told.
  package var lastMessage = 0
  private var next = 0

  /// The interests of the subscribers.
  private(set) var interests: EngineObservers.Interests = []

  /// The bytes that the values of watched views take, about.
  package var size: Int { views.size }

  package var isEmpty: Bool {
    views.isEmpty && observers.isEmpty && pending.isEmpty && ends?.ended.isEmpty ?? true
  }

  /// True if nobody subscribes.
  package var hasNobody: Bool { views.isEmpty && observers.isEmpty }

  package mutating func add(
    _ view: FlowReader, current: (value: Value, size: Int)?,
    while isWanted: (@Sendable () -> Bool)? = nil,
    _ handler: @escaping Delivery.ViewHandler
  ) -> Int {
    next += 1
    views.add(next, to: view, current: current, while: isWanted, handler)
    declareInterests()
    return next
  }

  package mutating func observe(
    while isWanted: (@Sendable () -> Bool)?, refusals: Delivery.RefusalHandler? = nil,
    _ handler: @escaping Delivery.CommitHandler
  ) -> Int {
    next += 1
    observers.append(
      Observer(number: next, handler: handler, refusals: refusals, isWanted: isWanted))
    declareInterests()
    return next
  }

  package mutating func remove(_ numbers: [Int]) {
    for number in numbers { views.remove(number) }
    let numbers = Set(numbers)
    observers.removeAll { numbers.contains($0.number) }
    declareInterests()
  }

  private mutating func declareInterests() {
    interests = hasNobody ? [] : .commits
    if observers.contains(where: { $0.refusals != nil }) { interests.insert(.rejections) }
  }

  /// Has something told with what is pending, after it.
  package mutating func tell(_ delivery: Delivery) { pending.append(delivery) }

  /// Has `go` called once nothing holds what this gives, after those have been told who are to be told
  /// of anything since now: where nobody is, no slow subscriber holds it up.
  package mutating func wait(_ go: @escaping @Sendable () -> Void) -> EffectsEnd {
    let line = ends ?? EffectsEnd.Line()
    ends = line
    return EffectsEnd(in: line, since: lastMessage, go)
  }

  /// Notes a transition for those who observe all of them.
  package mutating func note(_ commit: Commit) {
    guard !observers.isEmpty else { return }
    observers.removeAll(where: \.isGone)
    for observer in observers {
      pending.append(.commit(commit, observer.handler))
    }
  }

  /// Notes an action that did not pass, for those who want to know.
  package mutating func note(_ dispatch: RejectedDispatch) {
    for observer in observers where !observer.isGone {
      if let refusals = observer.refusals { pending.append(.refusal(dispatch, refusals)) }
    }
  }

  /// Points the subscriptions at the views of a flow that was loaded again.
  mutating func rebind(_ view: (String) -> FlowReader?) {
    views.rebind(into: &pending, view)
    views.touchAll()
  }

  /// Notes that what the view of this reader has read is no longer the same.
  package mutating func touch(_ reader: Int32) { views.touch(reader) }

  /// Works out the views that were touched and notes who is to be told.
  mutating func collect(_ value: WatchedViews.Reading) {
    views.collect(into: &pending, value: value)
  }

  /// - Parameter atOnce: whether those for whom an end has come are told at once where nobody stands before them.
  package mutating func takePending(atOnce: Bool = true) -> [Delivery] {
    for (since, go) in ends?.takeAll() ?? [] {
      if atOnce, pending.isEmpty, since == lastMessage {
        go()
      } else {
        pending.append(.end(go))
      }
    }
    if pending.isEmpty { return [] }
    defer { pending = [] }
    return pending
  }
}
