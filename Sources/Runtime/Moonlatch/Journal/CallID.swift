/// Which call of a capability it is: the same at each attempt, in this process and in those after it.
///
/// A capability whose first parameter is of this type is given it, and no argument: hand it on to whoever must not do
/// a thing twice.
///
/// ```swift
/// scopes.root.provide("charge") { (call: CallID, cents: Int) async throws in
///   try await bank.charge(cents, idempotencyKey: call.description)  // order/o-17/e4/2
/// }
/// ```
public struct CallID: Sendable, Hashable, CustomStringConvertible, Codable {
  /// The flow's file, without its ending.
  public let flow: String
  /// The case's id; the host's name, where it keeps no journal.
  public let `case`: String
  /// The number of the effect that calls, in its case.
  public let effect: Int
  /// Which of the effect's calls it is.
  public let position: String

  init(flow: String, case id: String, effect: Int, position: String) {
    (self.flow, self.case, self.effect, self.position) = (flow, id, effect, position)
  }

  /// `order/o-17/e4/2`.
  public var description: String { "\(flow)/\(self.case)/e\(effect)/\(position)" }

  /// That of the call under way.
  @TaskLocal static var currentWork: CallID?
}
