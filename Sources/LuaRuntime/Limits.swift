/// What a script may use.
///
/// Every limit holds against a script that tries to get around it.
public struct Limits: Sendable, Hashable {
  /// Lua instructions for one dispatch; work done in C is charged too.
  public var instructionsPerDispatch: Int
  /// Lua instructions for loading a flow, its modules included.
  public var instructionsPerLoad: Int
  /// Bytes of Lua memory, for code, state and everything else together; 0 for no limit.
  public var memory: Int
  /// Bytes of one encoded payload.
  public var payload: Int
  /// Transitions that the history keeps.
  public var history: Int

  /// The limits that hold unless the host says otherwise.
  public init(
    instructionsPerDispatch: Int = 10_000_000, instructionsPerLoad: Int = 10_000_000,
    memory: Int = 64 << 20, payload: Int = 1 << 20, history: Int = 1_000
  ) {
    self.instructionsPerDispatch = instructionsPerDispatch
    self.instructionsPerLoad = instructionsPerLoad
    self.memory = memory
    self.payload = payload
    self.history = history
  }
}
