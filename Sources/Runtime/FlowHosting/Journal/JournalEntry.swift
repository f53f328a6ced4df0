import FlowKernel
import Platform

/// An entry of a case: a turn, or an image of the whole case.
public struct JournalEntry: Sendable, Hashable {
  /// The number of the entry in its case, from 1, without a gap.
  public let seq: Int
  /// The number of the flow that ran, in the journal.
  package let flow: Int
  /// The time at which it was written, by the wall clock, in microseconds since 1970.
  package let wall: Int
  /// The time at which it was written, by the wall clock.
  public var writtenAt: Date { Date(microseconds: wall) }
  /// The content of the entry, in Moonlatch's encoding.
  package let body: [UInt8]
  /// The case's revision after the entry.
  public let revision: Int
  /// The time at which the case has something due next, in microseconds since 1970; nil if nothing is due.
  package let due: Int?
  /// The active states of each machine after the entry; nil if they have not changed.
  package let machines: [String: [String]]?
  /// True if the case ended with this entry.
  package let hasEnded: Bool
  /// The answers to keyed dispatches of this entry.
  package let answers: [KeyedAnswer]
  /// The tasks that the entry opens and closes; a journal without a table of tasks refuses an entry that has any.
  package let tasks: TaskChanges
  /// The birth of the case, in the first entry; nil in others.
  package let birth: Birth?
  /// The leases of opened tasks that the writer's node performs itself.
  package var leases: [OpenTask.Key: TaskLease] = [:]
  /// The rows that notifications of its commits need, unless the case has them already.
  package var notified: [OpenTask] = []

  /// The time and the seed with which a case was born.
  package struct Birth: Sendable, Hashable {
    /// The time of the birth, by the wall clock, in microseconds since 1970.
    package let time: Int
    /// The seed of the case's random numbers.
    package let seed: UInt64

    /// Makes a birth.
    package init(time: Int, seed: UInt64) { (self.time, self.seed) = (time, seed) }
  }

  /// Makes an entry.
  package init(
    seq: Int, flow: Int, wall: Int, body: [UInt8], revision: Int, due: Int? = nil,
    machines: [String: [String]]? = nil, hasEnded: Bool = false, answers: [KeyedAnswer] = [],
    tasks: TaskChanges = TaskChanges(), birth: Birth? = nil
  ) {
    (self.seq, self.flow, self.wall, self.body) = (seq, flow, wall, body)
    (self.revision, self.due, self.machines) = (revision, due, machines)
    (self.hasEnded, self.answers, self.tasks, self.birth) = (hasEnded, answers, tasks, birth)
  }
}
