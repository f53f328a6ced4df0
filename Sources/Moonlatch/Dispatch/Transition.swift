import LuaRuntime

/// The record of one passed dispatch.
public struct Transition: Sendable {
  /// One object, which the history, the outcome and whoever is told share.
  private final class Record: Sendable {
    let revision: Int
    let action: String
    let cause: Int?
    let microseconds: Int
    let patch: CompactBytes

    init(
      _ revision: Int, _ action: String, _ cause: Int?, _ microseconds: Int,
      _ patch: UnsafeRawBufferPointer
    ) {
      self.revision = revision
      self.action = action
      self.cause = cause
      self.microseconds = microseconds
      self.patch = CompactBytes(patch)
    }
  }

  private let record: Record

  /// Copies the encoded patch.
  init(
    revision: Int, action: String, cause: Int?, microseconds: Int, patch: UnsafeRawBufferPointer
  ) {
    record = Record(revision, action, cause, microseconds, patch)
  }

  /// The count of transitions up to and including this one.
  public var revision: Int { record.revision }
  /// The action's name.
  public var action: String { record.action }
  /// The transition whose effect or timer dispatched the action; nil for a dispatch from outside.
  public var cause: Int? { record.cause }
  /// When the action was taken from the queue, in whole microseconds since the host began.
  public var microseconds: Int { record.microseconds }
  /// What changed.
  public var patch: Patch { Patch(bytes: record.patch) }

  /// When the action was taken from the queue, in seconds since the host began.
  public var time: Double { Double(microseconds) / 1_000_000 }
}

extension Transition: CustomStringConvertible {
  /// `coin passed (#1)`.
  public var description: String { "\(action) passed (#\(revision))" }
}
