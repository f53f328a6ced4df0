import Platform

/// The identity of a capability's call: equal at each attempt, in this process and in later ones.
///
/// A capability whose first parameter is of this type receives it without an argument of the script. Pass it on to
/// whatever must not do a thing twice.
///
/// ```swift
/// scopes.root.provide("charge") { (call: CallID, cents: Int) async throws in
///   try await bank.charge(cents, idempotencyKey: call.description)  // 7f0q3kz81hw5n2xd/o-17/e4/2
/// }
/// ```
///
/// It begins with the id of the journal, so that a call of a new journal is never mistaken for one of an old journal
/// with the same case id.
public struct CallID: Sendable, Hashable, CustomStringConvertible, Codable {
  /// The id of the journal; nil for a host without a journal.
  public let journal: String?
  /// The name of the flow: the one that `flow_name` declares, or the stem of its file.
  public let flow: String
  /// The case's id; the host's name if it has no journal.
  public let `case`: String
  /// The number of the effect that calls, in its case.
  public let effect: Int
  /// The position of the call among the effect's calls.
  public let position: String

  package init(journal: String?, flow: String, case id: String, effect: Int, position: String) {
    (self.journal, self.flow, self.case) = (journal, flow, id)
    (self.effect, self.position) = (effect, position)
  }

  /// The text `journal/case/effect/position`, such as `7f0q3kz81hw5n2xd/o-17/e4/2`.
  ///
  /// Without a journal it is `flow/host/effect/position`, such as `order/order.lua/e4/2`. With a journal, it does not
  /// contain the name of the flow, which may change while a call is under way. A text of more than 255 bytes, or with
  /// other characters than those of visible ASCII, is replaced by `journal/sha256-` and its digest of 64 digits, so
  /// that it can be the value of an HTTP header.
  public var description: String {
    CallID.text("\(journal ?? flow)/\(self.case)/e\(effect)/\(position)", in: journal)
  }

  /// Returns a text that can be the value of an HTTP header: itself, or a digest.
  package static func text(_ text: String, in journal: String?) -> String {
    if text.utf8.count <= 255, text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) { return text }
    return (journal.map { "\($0)/" } ?? "") + "sha256-" + SHA256.hexadecimal(of: text)
  }

  /// The identity of the call under way.
  @TaskLocal package static var currentWork: CallID?
}
