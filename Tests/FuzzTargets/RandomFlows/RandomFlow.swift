import LuaRuntime

/// A flow drawn at random, as a text: the same for the same seed and options.
///
/// ```swift
/// let random = RandomFlow(seed: 7)
/// let flow = try LoadedFlow(source: random.text)
/// ```
///
/// Whatever is drawn loads; what is dispatched to it passes often, is refused often and fails now and then. Effects
/// dispatch only what stands behind their own action, so that no chain goes on for ever.
package struct RandomFlow: Sendable {
  /// What is drawn.
  package struct Options: Sendable {
    /// Whether there are finitely many states: small domains, bounded lists, and neither clock nor chance in the state.
    package var isFinite = false
    /// Whether there are effects.
    package var hasEffects = true
    /// True if effects that are not durable wait: a restart cuts these off (ContractOfDurableFlows.md, 4.1).
    package var plainWaits = false
    /// Whether there are durable effects.
    package var hasDurable = true
    /// Whether effects call capabilities.
    package var hasCalls = true
    /// Whether nearly every action has a durable effect, and little else is drawn.
    package var isForEffects = false

    package init() {}

    /// Finitely many states, for whoever looks at all of them.
    package static var finite: Options {
      var options = Options()
      options.isFinite = true
      (options.hasCalls, options.hasDurable) = (false, false)
      return options
    }

    /// Now these, now those: every third flow is one of durable effects above all.
    package static func varied(_ seed: UInt64) -> Options {
      seed % 3 == 2 ? .durableEffects : Options()
    }

    /// Durable effects above all.
    package static var durableEffects: Options {
      var options = Options()
      options.isForEffects = true
      return options
    }
  }

  /// An action, and payloads to offer with it.
  package struct Action: Sendable {
    package let name: String
    /// Payloads that the action takes; of a finite flow, all that differ.
    package let payloads: [Value]
    /// Whether effects and timers alone may dispatch it.
    package let isInternal: Bool
  }

  /// A capability of root that effects call with a number.
  package struct Capability: Sendable {
    package let name: String
    /// Whether it answers later, and the effect waits.
    package let answersLater: Bool
    /// Whether it fails now and then.
    package let fails: Bool
  }

  package let seed: UInt64
  /// The flow's text.
  package let text: String
  package let actions: [Action]
  package let capabilities: [Capability]
  /// Of a finite flow what its states and steps may be asked, as an exploration file asks it: some of it holds.
  package let properties: String
  /// Of a finite flow how far an exploration goes, as an option of it; mostly empty.
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

  /// How the locals are called in which functions keep what they have worked out.
  static let keptPrefix = "kept_"

  /// What there is to call.
  static let lent = [
    Capability(name: "ask", answersLater: false, fails: false),
    Capability(name: "try", answersLater: false, fails: true),
    Capability(name: "fetch", answersLater: true, fails: false),
    Capability(name: "send", answersLater: true, fails: true),
  ]
}
