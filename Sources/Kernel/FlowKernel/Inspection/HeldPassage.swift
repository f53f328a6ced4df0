import StateBlocks

/// A passage that a gatekeeper holds.
public struct HeldPassage: Sendable, Hashable {
  /// The gatekeeper's name.
  public let gatekeeper: String
  /// The option under which it is held; nil for a yes/no gatekeeper.
  public let option: String?
  /// The action that took it.
  public let action: String
  /// The revision of the commit in which it was taken.
  public let revision: Int
  package let microseconds: Int

  /// The time at which it was taken, in seconds since the host began.
  package var time: Double { EngineTime.seconds(microseconds) }
  /// The time at which it was taken, since the host began.
  public var elapsed: Duration { .microseconds(microseconds) }

  package init(
    gatekeeper: String, option: String?, action: String, revision: Int, microseconds: Int
  ) {
    (self.gatekeeper, self.option, self.action) = (gatekeeper, option, action)
    (self.revision, self.microseconds) = (revision, microseconds)
  }
}
