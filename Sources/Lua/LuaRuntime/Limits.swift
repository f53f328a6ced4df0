import CLatch

/// What a script may use.
///
/// Every limit holds against a script that tries to get around it, and says its number when it is
/// reached.
public struct Limits: Sendable, Hashable {
  /// Lua instructions for one dispatch; work done in C is charged too.
  public var instructionsPerDispatch: Int
  /// Lua instructions for loading a flow, its modules included.
  public var instructionsPerLoad: Int
  /// Seconds of the processor's time for one dispatch, one run of an effect, one view or whatever else the host asks a
  /// flow for; 0 for any.
  ///
  /// This is the one limit that depends on the machine. It is a second line of defence, for an instruction that takes much
  /// longer than it is charged for: scripts reach the other limits long before. What ran is ended as by any limit, and
  /// nothing of it is kept. Restoring a case, replaying a record and going along the history take what time they need,
  /// so that whatever was kept can be read back.
  public var seconds: Double
  /// Bytes of Lua memory, for code, state and everything else together.
  public var memory: Int
  /// Bytes of one encoded payload.
  public var payload: Int
  /// Bytes of the whole state, encoded.
  public var state: Int
  /// Tables inside tables, in the state and in payloads: 20 to 200, the nearest of which holds for less
  /// and for more.
  public var nesting: Int
  /// Coroutines that scripts have made and that have not come to their end.
  public var coroutines: Int
  /// Effects that wait.
  public var effects: Int
  /// Timers that effects have set and that are not due yet.
  public var timers: Int
  /// Actions that effects have dispatched and that wait for their turn.
  public var queue: Int
  /// Actions that states postpone.
  public var postponed: Int
  /// Actions that may run from the queue without a dispatch from outside within a second.
  ///
  /// Where each causes the next, the chain ends here. Of less time than a second a share of them may run again.
  public var chain: Int
  /// Lua instructions that such a chain may use together, and again with each second; never less than one dispatch may.
  public var instructionsPerChain: Int
  /// Microsteps of one transition that take transitions without an action or event, each of which may lead to the next.
  public var microsteps: Int
  /// Transitions that the history keeps: fewer where they take more than `retained` allows.
  public var history: Int
  /// Bytes of a case outside of Lua, about.
  ///
  /// These are the history, which forgets its oldest transitions for it; queued actions and timers with their payloads,
  /// effects that wait and keys of scopes that scripts have unlocked, of which there can be no more then. A chain of
  /// actions from the queue ends where its transitions take more. The transcript, which ends there, and the values of
  /// views that somebody watches have the same bound each: no outcome depends on who observes.
  public var retained: Int

  /// The limits that hold unless the host says otherwise.
  public init(
    instructionsPerDispatch: Int = 10_000_000, instructionsPerLoad: Int = 10_000_000,
    seconds: Double = 5, memory: Int = 64 << 20, payload: Int = 1 << 20, state: Int = 16 << 20,
    nesting: Int = 100,
    coroutines: Int = 10_000, effects: Int = 10_000, timers: Int = 10_000, queue: Int = 10_000,
    postponed: Int = 1_000,
    chain: Int = 100_000, instructionsPerChain: Int = 50_000_000, microsteps: Int = 10_000,
    history: Int = 1_000, retained: Int = 64 << 20
  ) {
    self.instructionsPerDispatch = instructionsPerDispatch
    self.instructionsPerLoad = instructionsPerLoad
    self.seconds = seconds
    self.memory = memory
    self.payload = payload
    self.state = state
    self.nesting = nesting
    self.coroutines = coroutines
    self.effects = effects
    self.timers = timers
    self.queue = queue
    self.postponed = postponed
    self.chain = chain
    self.instructionsPerChain = instructionsPerChain
    self.microsteps = microsteps
    self.history = history
    self.retained = retained
  }

  /// The milliseconds that hold; 0 for any.
  var milliseconds: UInt32 {
    seconds > 0 ? UInt32(min(max(1, (seconds * 1_000).rounded()), 4e9)) : 0
  }

  /// The nesting that holds.
  package var deepest: Int { min(max(nesting, LATCH_LEAST_NESTING), LATCH_DEEPEST_NESTING) }
}
