/// The identity of a journal: its id, and the flow whose cases it stores.
///
/// ```swift
/// let identity = try journal.identify(as: "orders", adopting: false)
/// print(identity.id)  // 16 letters and digits
/// ```
public struct JournalIdentity: Sendable, Hashable {
  /// The id that distinguishes the journal from all others: 16 random letters and digits, chosen when it is created.
  ///
  /// Its backups have the same id.
  public let id: String
  /// The name of the flow whose cases are stored; nil until a flow has claimed the journal.
  public let flow: String?
  /// The names that the flow had before it was renamed, the latest last.
  public let formerNames: [String]

  /// Creates an identity.
  public init(id: String, flow: String?, formerNames: [String] = []) {
    (self.id, self.flow, self.formerNames) = (id, flow, formerNames)
  }

  /// Creates the identity of a new journal, which no flow has claimed.
  public init() { self.init(id: Self.randomID(), flow: nil) }

  /// The number of characters in an id.
  package static let idLength = 16

  /// Returns a new random id: 16 letters and digits, some 82 bits.
  package static func randomID() -> String {
    let digits = Array("0123456789abcdefghijklmnopqrstuvwxyz")
    return String((0..<idLength).map { _ in digits[Int.random(in: digits.indices)] })
  }

  /// Returns the identity once a flow has claimed the journal.
  ///
  /// - Parameters:
  ///   - flow: the name of the flow.
  ///   - adopting: true if the journal is taken over from a flow of another name.
  ///   - journal: the journal's name in messages.
  /// - Throws: `JournalError` (`otherFlow`), if another flow has claimed it before.
  public func claimed(
    by flow: String, adopting: Bool, in journal: String
  ) throws(JournalError) -> JournalIdentity {
    guard let owner = self.flow else { return JournalIdentity(id: id, flow: flow) }
    if ExactText(owner) == ExactText(flow) { return self }
    guard adopting else {
      throw JournalError(
        .otherFlow,
        "\(journal) holds the cases of flow \"\(owner)\" (journal \(id)), and this flow is \"\(flow)\": name the "
          + "journal of \"\(flow)\"; or, if it is the same flow, declare flow_name \"\(owner)\" in it, or take the "
          + "journal over once with --adopt (HostOptions.adoptsJournal).")
    }
    let former = (formerNames + [owner]).filter { ExactText($0) != ExactText(flow) }
    return JournalIdentity(id: id, flow: flow, formerNames: former)
  }

  /// Returns true if cases of a flow of that name may be in the journal.
  package func knows(_ name: String) -> Bool {
    ([flow].compactMap(\.self) + formerNames).contains { ExactText($0) == ExactText(name) }
  }
}
