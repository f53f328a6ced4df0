/// The reason why a gatekeeper refused a passage: a sentence and its parts.
///
/// ```swift
/// do {
///   let passage = try gatekeeper.enter(.loading, unless: .loaded)
/// } catch {
///   print(error)  // "loading" is held by load() since revision 41
/// }
/// ```
public struct PassageRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// The option that was not free, the first of several; the name of a yes/no gatekeeper.
  public let option: String
  /// True if the option is latched, false if a passage holds it.
  public let isLatched: Bool
  /// The name of the caller that holds or latched the option.
  public let holder: String
  /// The revision at which the option was taken, if it was given.
  public let since: Int?

  /// Makes a refusal, for instance in a test.
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
