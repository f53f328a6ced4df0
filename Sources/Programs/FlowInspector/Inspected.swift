import FlowCases
import FlowHosting
import FlowKernel
import LuaRuntime

/// The subject of an inspector: a host of a program, or the cases of a journal.
package protocol Inspected: Sendable {
  /// The flow of the cases.
  var flow: LoadedFlow { get }
  /// True if there may be many cases; otherwise `only` is the one case.
  var hasCases: Bool { get }
  /// The id of the case that is shown if none is named.
  var only: String? { get }
  /// Returns the summary of a case; nil if there is none.
  func summary(of id: String) async throws -> CaseSummary?
  /// Returns cases in order of id.
  func list(_ place: (machine: String, state: String)?, after id: String?, limit: Int) async throws
    -> [CaseSummary]
  /// Returns the ids of cases that have been due since a time, and of those that could not be woken.
  func overdue(since time: Int, limit: Int) async throws -> (due: [String], troubled: Set<String>)
  /// Returns the rows of entries from a number on, at most of `limit` entries; the rest is in entries after `last`.
  func rows(of id: String, from seq: Int, limit: Int) async throws -> (
    rows: [InspectedRow], last: Int
  )
  /// Returns the numbers of the first and the last entry that are available.
  func reach(of id: String) async throws -> (first: Int, last: Int)
  /// Calls `look` with the case as it was after an entry, or as it is now if `seq` is nil.
  func look<Answer: Sendable>(
    at id: String, _ seq: Int?, _ look: @Sendable (Engine) throws -> Answer
  ) async throws -> Answer
  /// The tasks of the cases; nil if their journal has no table of tasks.
  var tasks: CaseTasks? { get }
  /// Returns the running work that the engine of `look` does not have, because that engine is a copy at rest.
  func currentWork(at id: String, _ seq: Int?) async throws -> CaseTimeline.CurrentWork
  /// True if `look` accepts an entry.
  var remembersAll: Bool { get }
  /// Returns the state after an entry.
  func state(of id: String, at seq: Int) async throws -> Value
  /// Returns a stream of the numbers of entries after `seq`, as they are stored.
  func news(of id: String, after seq: Int) async throws -> AsyncThrowingStream<Int, any Error>
  func dispatch(_ action: String, _ payload: Value, at id: String, by who: String?) async throws
    -> Outcome
  func may(_ action: String, _ payload: Value, at id: String, by who: String?) async throws
    -> Permission
  /// Returns a stream of rejected dispatches from outside; nil if entries report them at once.
  func rejections(of id: String) -> AsyncStream<RejectedDispatch>?
  /// The wall clock, in microseconds since 1970.
  var wall: Int { get }
  /// True if time passes by itself.
  var clockMovesByItself: Bool { get }
  /// Returns the state of a case after its last entry, for callers that visit many cases.
  func lastState(of summary: CaseSummary) async throws -> Value
  func create(_ id: String) async throws
  func end(_ id: String) async throws
  func retry(_ id: String) async throws
  func fork(_ id: String, at seq: Int, as new: String) async throws
}
