import LuaRuntime

/// A random flow, as text, which is the same for the same seed and options.
///
/// ```swift
/// let random = RandomFlow(seed: 7)
/// let flow = try LoadedFlow(source: random.text)
/// ```
///
/// Every random flow loads. Dispatches to it pass often, are refused often and fail now and then. An effect only
/// dispatches actions after its own, so that no chain is endless.
package struct RandomFlow: Sendable {
  /// The options of a random flow.
  package struct Options: Sendable {
    /// True if there are finitely many states: small domains, bounded lists, and neither clock nor random numbers in
    /// the state.
    package var isFinite = false
    /// True if there are effects.
    package var hasEffects = true
    /// True if effects that are not durable wait; a restart cancels them (ContractOfDurableFlows.md, 4.1).
    package var plainWaits = false
    /// True if there are durable effects.
    package var hasDurable = true
    /// True if effects call capabilities.
    package var hasCalls = true
    /// True if nearly every action has a durable effect, and little else is drawn.
    package var isForEffects = false

    package init() {}

    /// Options for finitely many states, so that a test can visit all of them.
    package static var finite: Options {
      var options = Options()
      options.isFinite = true
      (options.hasCalls, options.hasDurable) = (false, false)
      return options
    }

    /// Returns options that vary with the seed: every third flow consists mainly of durable effects.
    package static func varied(_ seed: UInt64) -> Options {
      seed % 3 == 2 ? .durableEffects : Options()
    }

    /// Options for mainly durable effects.
    package static var durableEffects: Options {
      var options = Options()
      options.isForEffects = true
      return options
    }
  }

  /// An action, with payloads to dispatch.
  package struct Action: Sendable {
    package let name: String
    /// Payloads that the action accepts; for a finite flow, all distinct ones.
    package let payloads: [Value]
    /// True if only effects and timers may dispatch it.
    package let isInternal: Bool
  }

  /// A capability of root that effects call with a number.
  package struct Capability: Sendable {
    package let name: String
    /// True if it answers later, so that the effect waits.
    package let answersLater: Bool
    /// True if it fails now and then.
    package let fails: Bool
  }

  package let seed: UInt64
  /// The flow's text.
  package let text: String
  package let actions: [Action]
  package let capabilities: [Capability]
  /// The properties of a finite flow for an exploration file; some of them hold.
  package let properties: String
  /// The bound of an exploration of a finite flow, as an option; empty for most flows.
  package let bound: String

  package init(seed: UInt64, _ options: Options = Options()) {
    var drawing = FlowDrawing(seed: seed, options)
    drawing.drawAll()
    self.seed = seed
    properties = drawing.properties()
    bound = drawing.bound()
    text = drawing.text
    actions = drawing.actions.map {
      Action(name: $0.name, payloads: $0.payloads, isInternal: $0.isInternal)
    }
    capabilities = options.hasCalls ? RandomFlow.lent : []
  }

  /// The prefix of the locals in which functions cache results.
  static let keptPrefix = "kept_"

  /// The capabilities that are lent to the flow.
  static let lent = [
    Capability(name: "ask", answersLater: false, fails: false),
    Capability(name: "try", answersLater: false, fails: true),
    Capability(name: "fetch", answersLater: true, fails: false),
    Capability(name: "send", answersLater: true, fails: true),
  ]
}
