/// Why a gatekeeper let somebody not pass: a sentence, and its parts.
///
/// ```swift
/// do {
///   let passage = try gatekeeper.enter(.loading, unless: .loaded)
/// } catch {
///   print(error)  // "loading" is held by load() since revision 41
/// }
/// ```
public struct PassageRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// The option that was not free, the first of several; a yes/no keeper's name.
  public let option: String
  /// Whether the option is latched, rather than held by a passage.
  public let isLatched: Bool
  /// Who holds or latched it.
  public let holder: String
  /// The revision since when, if it was given.
  public let since: Int?

  /// Makes a refusal, as a test may want to.
  public init(option: String, isLatched: Bool, holder: String, since: Int?) {
    self.option = option
    self.isLatched = isLatched
    self.holder = holder
    self.since = since
  }

  /// The refusal as a sentence.
  public var description: String {
    "\"\(option)\" is \(isLatched ? "latched" : "held") by \(holder)"
      + (since.map { " since revision \($0)" } ?? "")
  }
}
