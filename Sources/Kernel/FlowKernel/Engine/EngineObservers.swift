/// The observers of an engine, which no outcome depends on.
///
/// Each declares its interests, so that an absent observer costs only the test of a bit.
package struct EngineObservers {
  struct Interests: OptionSet, Sendable {
    package let rawValue: UInt8

    package static let commits = Interests(rawValue: 1 << 0)
    package static let rejections = Interests(rawValue: 1 << 1)
    /// Effects that begin, wait and end, and scopes that close.
    package static let effects = Interests(rawValue: 1 << 2)
    /// The inputs from outside.
    package static let inputs = Interests(rawValue: 1 << 3)
    /// The steps of machines.
    package static let microsteps = Interests(rawValue: 1 << 4)
    /// The locals of files that a call has changed.
    package static let locals = Interests(rawValue: 1 << 5)
    /// Commits, delivered before their effects begin.
    package static let commitHandler = Interests(rawValue: 1 << 6)
    /// The interests that receive each commit.
    static let perCommit: Interests = [.commits, .microsteps, .commitHandler]
  }

  /// The interests of all observers, subscribers included.
  var interests: Interests { declared.union(subscriptions.interests) }
  private var declared: Interests = []

  package var subscriptions = Subscriptions()
  /// The recorded inputs from outside; nil if they are not recorded.
  package var transcript: Transcript? { didSet { declareInterests() } }
  /// The changes since the journal's last entry; nil if there is no journal.
  package var recorder: TurnRecorder? { didSet { declareInterests() } }
  /// Receives every commit before its effects begin.
  package var commitHandler: ((Commit) -> Void)? { didSet { declareInterests() } }
  /// True if the steps of machines are recorded (`Engine.latestSteps`).
  package var recordsMicrosteps = false { didSet { declareInterests() } }
  /// True if each call is checked for locals that scripts have changed.
  package var findsChangedLocals = false { didSet { declareInterests() } }

  private mutating func declareInterests() {
    var interests: Interests = []
    if recorder != nil { interests.formUnion([.commits, .effects]) }
    if recorder?.keepsRejections == true { interests.insert(.rejections) }
    if transcript != nil { interests.insert(.inputs) }
    if commitHandler != nil { interests.insert(.commitHandler) }
    if recordsMicrosteps { interests.insert(.microsteps) }
    if findsChangedLocals { interests.insert(.locals) }
    declared = interests
  }

  mutating func receive(_ event: EngineEvent) {
    recorder?.receive(event)
    switch event {
    case .committed(let commit): subscriptions.note(commit)
    case .rejected(let dispatch): subscriptions.note(dispatch)
    default: break
    }
  }
}
