/// Which call of a capability it is: the same at each attempt, in this process and in those after it.
///
/// A capability whose first parameter is of this type is given it, and no argument: hand it on to whoever must not do
/// a thing twice.
///
/// ```swift
/// scopes.root.provide("charge") { (call: CallID, cents: Int) async throws in
///   try await bank.charge(cents, idempotencyKey: call.description)  // 7f0q3kz81hw5n2xd/o-17/e4/2
/// }
/// ```
///
/// It begins with the id of the journal, so that nobody takes a call of a new journal for one of an old journal, in which
/// there was a case of the same id too.
public struct CallID: Sendable, Hashable, CustomStringConvertible, Codable {
  /// The id of the journal; nil for a host that keeps none.
  public let journal: String?
  /// The name of the flow: what `flow_name` declares, or else the stem of its file.
  public let flow: String
  /// The case's id; the host's name, where it keeps no journal.
  public let `case`: String
  /// The number of the effect that calls, in its case.
  public let effect: Int
  /// Which of the effect's calls it is.
  public let position: String

  package init(journal: String?, flow: String, case id: String, effect: Int, position: String) {
    (self.journal, self.flow, self.case) = (journal, flow, id)
    (self.effect, self.position) = (effect, position)
  }

  /// `7f0q3kz81hw5n2xd/o-17/e4/2`: journal, case, effect, position; without a journal, `order/order.lua/e4/2`: flow, host,
  /// effect, position.
  ///
  /// The name of the flow is not in it if there is a journal: it may change while a call is under way.
  public var description: String { "\(journal ?? flow)/\(self.case)/e\(effect)/\(position)" }

  /// That of the call under way.
  @TaskLocal package static var currentWork: CallID?
}
