import FlowCases
import FlowHosting
import FlowKernel
import LuaRuntime

/// What an inspector looks at: a host of a program, or the cases of a journal.
package protocol Inspected: Sendable {
  /// The flow that is at work.
  var flow: LoadedFlow { get }
  /// Whether there may be many cases; else there is one, `only`.
  var hasCases: Bool { get }
  /// The case that is looked at where none is named.
  var only: String? { get }
  /// What is known of a case; nil where there is none.
  func summary(of id: String) async throws -> CaseSummary?
  /// Cases in order of id.
  func list(_ place: (machine: String, state: String)?, after id: String?, limit: Int) async throws
    -> [CaseSummary]
  /// The ids of cases that have been due since a time, or could not be woken.
  func overdue(since time: Int, limit: Int) async throws -> (due: [String], troubled: Set<String>)
  /// The rows of entries from a number on; no more than so many entries. What comes next stands in entries behind `last`.
  func rows(of id: String, from seq: Int, limit: Int) async throws -> (
    rows: [InspectedRow], last: Int
  )
  /// The number of the first entry that is there, and of the last.
  func reach(of id: String) async throws -> (first: Int, last: Int)
  /// Looks at the case as it stood after an entry; nil for now.
  func look<Answer: Sendable>(
    at id: String, _ seq: Int?, _ look: @Sendable (Engine) throws -> Answer
  ) async throws -> Answer
  /// What is under way that the engine of `look` does not have, since it stands still.
  func currentWork(at id: String, _ seq: Int?) async throws -> CaseTimeline.CurrentWork
  /// Whether `look` can be given an entry.
  var remembersAll: Bool { get }
  /// The state after an entry.
  func state(of id: String, at seq: Int) async throws -> Value
  /// Tells, from an entry on, the numbers of entries as they are kept.
  func news(of id: String, after seq: Int) async throws -> AsyncThrowingStream<Int, any Error>
  func dispatch(_ action: String, _ payload: Value, at id: String, by who: String?) async throws
    -> Outcome
  func may(_ action: String, _ payload: Value, at id: String, by who: String?) async throws
    -> Permission
  /// The dispatches from outside that do not pass from now on, where no entry tells of them at once.
  func rejections(of id: String) -> AsyncStream<RejectedDispatch>?
  /// The wall clock, in microseconds since 1970.
  var wall: Int { get }
  /// True if time goes by itself.
  var clockMovesByItself: Bool { get }
  /// The state of a case after its last entry, for whoever goes through many cases.
  func lastState(of summary: CaseSummary) async throws -> Value
  func create(_ id: String) async throws
  func end(_ id: String) async throws
  func retry(_ id: String) async throws
  func fork(_ id: String, at seq: Int, as new: String) async throws
}
