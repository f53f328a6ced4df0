#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import LuaRuntime
import StateBlocks

/// Runs a flow: the front door of Moonlatch.
///
/// ```swift
/// let host = try Host(flow: URL(filePath: "turnstile.lua"))
/// switch try host.dispatch("coin", ["amount": 1]) {
/// case .passed(let transition): print(transition.patch)
/// case .refused(let refusal): print(refusal)
/// case .failed(let failure): print(failure)
/// }
/// let takings = try host.view("takings")
/// ```
///
/// A host may be used from several threads at once: everything goes through one Agent, one dispatch
/// after the other. Calling a host from inside its own `print` handler throws an `AgentError`
/// instead of waiting for itself; a subscriber may call it, since subscribers are told afterwards.
public final class Host: Sendable {
  private let agent: Agent<Engine>
  private let deliveries = Deliveries()

  /// The flow's file, as messages name it.
  public let name: String

  /// Loads a flow from its file.
  ///
  /// - Parameters:
  ///   - flow: the Lua file; modules that it requires lie in the same folder.
  ///   - limits: what the flow may use.
  ///   - print: where a script's `print` goes; standard error unless you say otherwise.
  /// - Throws: `FlowError` with every fault of the flow, `ScriptError` when a limit ended the
  ///   loading.
  public convenience init(
    flow: URL, limits: Limits = Limits(), print: (@Sendable (String) -> Void)? = nil
  ) throws {
    try self.init(sources: FlowSources(file: flow), limits: limits, print: print)
  }

  /// Loads a flow from its text. It has no modules; `name` is what messages call its file.
  ///
  /// - Throws: as `init(flow:limits:print:)`.
  public convenience init(
    source: String, name: String = "flow.lua", limits: Limits = Limits(),
    print: (@Sendable (String) -> Void)? = nil
  ) throws {
    try self.init(
      sources: FlowSources(text: source, name: name), limits: limits, print: print)
  }

  private init(
    sources: FlowSources, limits: Limits, print: (@Sendable (String) -> Void)?
  ) throws {
    let log = ScriptLog(print ?? { Terminal.writeError($0 + "\n") })
    let engine = try Engine(sources: sources, limits: limits, log: log)
    name = engine.flow.file
    agent = Agent(engine, name: engine.flow.file)
  }

  /// Offers an action to the flow.
  ///
  /// - Parameter payload: a record, or nothing for `{}`.
  /// - Throws: `AgentError` when the host is called from inside itself. What goes wrong in the
  ///   flow is an outcome, not an error.
  @discardableResult
  public func dispatch(_ action: String, _ payload: Value = [:]) throws -> Outcome {
    let outcome = try agent.fetchAndUpdate { engine in
      let outcome = engine.dispatch(action, payload)
      engine.settle()
      deliveries.add(engine.subscriptions.takePending())
      return outcome
    }
    deliveries.deliver()
    return outcome
  }

  /// Whether an action may pass now, and if not, why. Nothing is dispatched.
  ///
  /// - Throws: `AgentError` when the host is called from inside itself.
  public func may(_ action: String, _ payload: Value = [:]) throws -> Permission {
    try agent.fetchAndUpdate { $0.may(action, payload) }
  }

  /// The value of a view.
  ///
  /// - Throws: `ViewError` when there is no such view or it raised an error; `AgentError` when the
  ///   host is called from inside itself.
  public func view(_ name: String) throws -> Value {
    try agent.fetchAndUpdate { engine in Result { try engine.view(name) } }.get()
  }

  /// How often a view has been computed: only when it is asked for and what it read has changed.
  ///
  /// - Throws: as `view(_:)`.
  public func recomputations(of name: String) throws -> Int {
    try agent.fetchAndUpdate { engine in Result { try engine.runs(ofView: name) } }.get()
  }

  /// Tells `handler` the view's value now and whenever it changes, in the order of transitions and
  /// of subscriptions, after the transition and outside the host's lock.
  ///
  /// - Returns: what ends the subscription.
  /// - Throws: as `view(_:)`.
  public func subscribe(
    _ name: String, _ handler: @escaping @Sendable (Result<Value, ViewError>) -> Void
  ) throws -> ViewSubscription {
    let number = try agent.fetchAndUpdate { engine in
      Result {
        let view = try engine.reader(of: name)
        let value = Result { try engine.value(of: view) }.mapError { $0 as? ViewError ?? .mismatch("\($0)") }
        let number = engine.subscriptions.add(view, current: try? value.get(), handler)
        deliveries.add([.init(subscription: number, value: value, handler: handler)])
        return number
      }
    }.get()
    deliveries.deliver()
    return ViewSubscription { [agent, deliveries] in
      deliveries.cancel(number)
      try agent.fetchAndUpdate { $0.subscriptions.remove(number) }
    }
  }

  /// The whole state, copied. Meant for tools and tests: subscribers see views.
  ///
  /// - Throws: `ScriptError`; `AgentError` when the host is called from inside itself.
  public func state() throws -> Value {
    try agent.fetchAndUpdate { engine in Result { try engine.state() } }.get()
  }

  /// The count of transitions so far.
  public var revision: Int {
    get throws { try agent.fetchAndUpdate { $0.revision } }
  }

  /// The latest transitions, oldest first.
  public var transitions: [Transition] {
    get throws { try agent.fetchAndUpdate { $0.history.transitions } }
  }
}

/// A subscription to a view. It lasts until it is cancelled or the host goes.
public struct ViewSubscription: Sendable {
  private let end: @Sendable () throws -> Void

  init(_ end: @escaping @Sendable () throws -> Void) { self.end = end }

  /// Ends the subscription: its handler is not called again. Cancelling twice does nothing.
  public func cancel() throws { try end() }
}
