import StateBlocks

/// A passage that a gatekeeper holds.
public struct HeldPassage: Sendable, Hashable {
  /// The gatekeeper's name.
  public let gatekeeper: String
  /// The option under which it is held; nil for a yes/no keeper.
  public let option: String?
  /// The action that took it.
  public let action: String
  /// The transition in which it was taken.
  public let revision: Int
  package let microseconds: Int

  /// When it was taken, in seconds since the host began.
  public var time: Double { EngineTime.seconds(microseconds) }
  /// When it was taken, since the host began.
  public var elapsed: Duration { .microseconds(microseconds) }
}
