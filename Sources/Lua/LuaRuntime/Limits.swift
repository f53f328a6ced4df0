import CLatch

/// The limits of what a script may use.
///
/// Every limit also holds against a script that tries to evade it. The error of a limit names its value.
public struct Limits: Sendable, Hashable {
  /// The maximum number of Lua instructions for one dispatch; work done in C is charged too.
  public var instructionsPerDispatch: Int
  /// The maximum number of Lua instructions for loading a flow with its modules.
  public var instructionsPerLoad: Int
  /// The maximum processor time for one call of the flow, such as a dispatch, a run of an effect or a view; zero for
  /// no limit.
  ///
  /// This is the only limit that depends on the machine. It is a second line of defence, for an instruction that
  /// takes much longer than it is charged for: scripts reach the other limits long before. A run that exceeds it
  /// ends like one that exceeds any other limit, and nothing of it is stored. Restoring a case, replaying a record
  /// and moving through the history have no time limit, so that whatever was stored can be read back.
  public var processorTime: Duration
  /// The maximum bytes of Lua memory for code, state and everything else together.
  public var memory: Int
  /// The maximum bytes of one encoded payload.
  public var payload: Int
  /// The maximum bytes of the whole encoded state.
  public var state: Int
  /// The maximum nesting depth of tables in the state and in payloads.
  ///
  /// It is at least 20 and at most 200; values outside of that range are clamped.
  public var nesting: Int
  /// The maximum number of unfinished coroutines that scripts have created.
  public var coroutines: Int
  /// The maximum number of waiting effects.
  public var effects: Int
  /// The maximum number of pending timers that effects have set.
  public var timers: Int
  /// The maximum number of queued actions that effects have dispatched.
  public var queue: Int
  /// The maximum number of actions that states postpone.
  public var postponed: Int
  /// The maximum number of open tasks: calls that workers outside of the process perform.
  public var tasks: Int
  /// The maximum number of queued actions that may run within a second without a dispatch from outside.
  ///
  /// A chain of actions, each of which causes the next, ends here. After less than a second a proportional share
  /// may run again.
  public var chain: Int
  /// The maximum number of Lua instructions that such a chain may use within a second; never less than one dispatch
  /// may use.
  public var instructionsPerChain: Int
  /// The maximum number of eventless microsteps in one macrostep, each of which may enable the next.
  public var microsteps: Int
  /// The maximum number of commits that the history holds; fewer if they exceed `retained`.
  public var history: Int
  /// The approximate maximum bytes of a case outside of Lua.
  ///
  /// They cover the history; queued actions and timers with their payloads; waiting effects; and keys of scopes
  /// that scripts have unlocked. The history drops its oldest commits to stay within the limit, and no more of the
  /// others can be added once it is reached. A chain of queued actions ends when its commits take more. The
  /// transcript, which ends at the limit, and the values of observed views each have a limit of the same size of
  /// their own, so that no outcome depends on who observes.
  public var retained: Int

  /// Creates limits; those left out have their default values.
  public init(
    instructionsPerDispatch: Int = 10_000_000, instructionsPerLoad: Int = 10_000_000,
    processorTime: Duration = .seconds(5), memory: Int = 64 << 20, payload: Int = 1 << 20,
    state: Int = 16 << 20,
    nesting: Int = 100,
    coroutines: Int = 10_000, effects: Int = 10_000, timers: Int = 10_000, queue: Int = 10_000,
    postponed: Int = 1_000, tasks: Int = 1_000,
    chain: Int = 100_000, instructionsPerChain: Int = 50_000_000, microsteps: Int = 10_000,
    history: Int = 1_000, retained: Int = 64 << 20
  ) {
    self.instructionsPerDispatch = instructionsPerDispatch
    self.instructionsPerLoad = instructionsPerLoad
    self.processorTime = processorTime
    self.memory = memory
    self.payload = payload
    self.state = state
    self.nesting = nesting
    self.coroutines = coroutines
    self.effects = effects
    self.timers = timers
    self.queue = queue
    self.postponed = postponed
    self.tasks = tasks
    self.chain = chain
    self.instructionsPerChain = instructionsPerChain
    self.microsteps = microsteps
    self.history = history
    self.retained = retained
  }

  /// The effective time limit in milliseconds; 0 for none.
  var milliseconds: UInt32 {
    processorTime > .zero
      ? UInt32(min(max(1, (processorTime / .milliseconds(1)).rounded()), 4e9)) : 0
  }

  /// The effective nesting depth.
  package var deepest: Int { min(max(nesting, LATCH_LEAST_NESTING), LATCH_DEEPEST_NESTING) }
}
