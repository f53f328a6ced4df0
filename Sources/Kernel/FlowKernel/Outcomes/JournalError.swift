/// An error of a journal: something could not be stored, or what is stored cannot be used.
///
/// ```swift
/// do {
///   try host.dispatch("pay", ["cents": 250])
/// } catch let error as JournalError where error.kind == .full {
///   // nothing of it has happened: make space, and dispatch again
/// }
/// ```
///
/// A dispatch that throws it may have been stored all the same, if the disk's answer did not arrive. To have it done
/// once, dispatch with a key, and repeat it with the same key.
public struct JournalError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The reason of the error.
  public enum Kind: Sendable, Hashable {
    /// Another host has the journal open, in the process with that id; nil if the process is unknown.
    case locked(by: Int?)
    /// Another host has taken the case over; this one writes nothing any more.
    case fenced
    /// The stored data are not what was written.
    case damaged
    /// The file is no journal, or one of a later Moonlatch.
    case unreadable
    /// The journal contains cases of another flow.
    case otherFlow
    /// A node or a program with another version of the flow serves the case; try again a little later.
    case otherVersion
    /// The stored data do not fit the flow.
    case unfit
    /// The key was used before with another action or payload.
    case keyReused
    /// There is no case with that id.
    case unknownCase
    /// There is already a case with that id.
    case knownCase
    /// The case has ended.
    case endedCase
    /// The case is at another revision than the expected one.
    case otherRevision
    /// There is no space left.
    case full
    /// Reading or writing failed.
    case failed
    /// The location or the settings of the journal could make it lose what it has acknowledged.
    case unsafe
    /// The journal was closed.
    case closed
  }

  /// The reason of the error.
  public let kind: Kind
  /// A sentence that says which file or case is concerned, what is wrong, and what to do.
  public let description: String

  /// Creates an error.
  public init(_ kind: Kind, _ description: String) {
    (self.kind, self.description) = (kind, description)
  }
}
