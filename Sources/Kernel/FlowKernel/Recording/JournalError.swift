/// Something could not be kept, or what was kept cannot be used.
///
/// ```swift
/// do {
///   try host.dispatch("pay", ["cents": 250])
/// } catch let error as JournalError where error.kind == .full {
///   // nothing of it has happened: make space, and dispatch again
/// }
/// ```
///
/// A dispatch that throws it may have been kept all the same, where the answer of the disk did not come: dispatch
/// with a key, and again with the same one, to have it done once.
public struct JournalError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is in the way.
  public enum Kind: Sendable, Hashable {
    /// Another host, of this process or of the one that is named, has the journal open.
    case locked(by: Int?)
    /// Another has taken the case over: this one writes nothing any more.
    case fenced
    /// What is kept is not what was written.
    case damaged
    /// It is no journal, or one of a later Moonlatch.
    case unreadable
    /// The cases in the journal are another flow's.
    case otherFlow
    /// A node or a program with another version of the flow is to serve the case: ask again a little later.
    case otherVersion
    /// What is there does not fit the flow's text.
    case unfit
    /// The key was given to another action or payload before.
    case keyReused
    /// There is no case of that id.
    case unknownCase
    /// There is a case of that id already.
    case knownCase
    /// The case has ended.
    case endedCase
    /// The case is at another revision than the one that was expected.
    case otherRevision
    /// There is no space left.
    case full
    /// Reading or writing failed.
    case failed
    /// Where the journal is, or how it is set, it could lose what it has acknowledged.
    case unsafe
    /// The journal was closed.
    case closed
  }

  /// What is in the way.
  public let kind: Kind
  /// A sentence: which file or case, what is wrong, and what to do.
  public let description: String

  /// An error.
  public init(_ kind: Kind, _ description: String) {
    (self.kind, self.description) = (kind, description)
  }
}
