/// A case as lists show it.
///
/// A journal stores times in microseconds since 1970; programs read them as dates: `bornAt`, `writtenAt`, `dueAt` and
/// `endedAt`.
public struct CaseSummary: Sendable, Hashable {
  /// The case's id.
  public let id: String
  /// The number of the case's last entry.
  public let seq: Int
  /// The case's revision.
  public let revision: Int
  /// The number of the flow that ran in its last entry, in the journal.
  package let flow: Int
  /// The time of the birth, in microseconds since 1970.
  package let born: Int
  /// The time at which the last entry was written, in microseconds since 1970.
  package let wall: Int
  /// The time at which the case has something due next, in microseconds since 1970; nil if nothing is due.
  package let due: Int?
  /// The active states of each machine, its root state among them.
  public let machines: [String: [String]]
  /// The time at which the case ended, in microseconds since 1970; nil if it has not ended.
  package let ended: Int?

  /// Makes a summary.
  package init(
    id: String, seq: Int, revision: Int, flow: Int, born: Int, wall: Int, due: Int?,
    machines: [String: [String]], ended: Int?
  ) {
    (self.id, self.seq, self.revision, self.flow) = (id, seq, revision, flow)
    (self.born, self.wall, self.due) = (born, wall, due)
    (self.machines, self.ended) = (machines, ended)
  }

  /// The active states of each machine, without its root state, which is always active.
  package var activeStates: [String: [String]] {
    Dictionary(
      uniqueKeysWithValues: machines.map { name, states in
        (name, states.filter { $0 != name })
      })
  }
}
