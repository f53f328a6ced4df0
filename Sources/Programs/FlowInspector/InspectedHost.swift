import FlowCases
import FlowHosting
import FlowKernel
import FlowLanguage
import LuaRuntime
import Platform

/// A host of a program as the subject of an inspector; its dispatches are recorded, up to a maximum.
package final class InspectedHost: Inspected {
  private struct Kept {
    let row: InspectedRow
    /// The row of the commit before it on the same branch of the history; undo starts new branches.
    let parent: Int
  }

  private struct State {
    /// The rows in order; the oldest tenth is dropped at a time.
    var rows: [Kept] = []
    /// The number of the first row that is still there.
    var first = 1
    var next = 1
    /// The row that led to each revision.
    var path: [Int: Int] = [:]
    /// The states after some of the rows; the first is the state before all rows.
    var stills: [(seq: Int, state: Value)] = []
    var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
    var lastListener = 0
    /// The rows that arrive before the host's history was read; nil afterwards.
    var early: [InspectedRow]? = []
  }

  private let host: FlowHost
  private let state = Mutex(State())
  private let subscription = Mutex<ViewSubscription?>(nil)
  private let began: Int
  private let most: Int

  /// The number of rows between two stored states.
  private static let step = 500

  /// Records a host from now on; the commits in its history are included.
  ///
  /// - Parameter most: the maximum number of rows.
  package init(_ host: FlowHost, keeping most: Int = 100_000) throws {
    (self.host, self.most) = (host, max(1_000, most))
    let elapsed = try host.elapsed
    began = Int((Date().timeIntervalSince1970 - elapsed / .seconds(1)) * 1_000_000)
    // The observers start first, so that nothing is missed; commits that the history has too are skipped.
    let watching = try host.observeDispatches(
      passed: { [weak self] commit in
        guard let self else { return }
        add(InspectedRow(commit, seq: 0, wall: wall(commit.microseconds)))
      },
      rejected: { [weak self] dispatch in
        guard let self else { return }
        add(InspectedRow(dispatch, seq: 0, wall: wall(dispatch.microseconds)))
      })
    subscription.withLock { $0 = watching }
    let (commits, now, revision) = try host.examine { engine in
      (
        (engine.history.reachable.lowerBound..<engine.revision).compactMap {
          engine.commit(at: $0 + 1)
        }, try engine.state(), engine.revision
      )
    }
    var before = now
    for commit in commits.reversed() { before.revert(commit.writes.changes) }
    let first = (commits.first?.revision ?? revision + 1) - 1
    let early = state.withLock { state -> [InspectedRow] in
      state.stills = [(0, before)]
      state.path[first] = 0
      defer { state.early = nil }
      return state.early ?? []
    }
    for commit in commits {
      add(InspectedRow(commit, seq: 0, wall: wall(commit.microseconds)))
    }
    let last = commits.last?.revision ?? first
    for row in early where row.outcome != .passed || row.revision > last { add(row) }
  }

  deinit { subscription.withLock { $0?.cancel() } }

  private func wall(_ microseconds: Int) -> Int { began + microseconds }

  private func add(_ new: InspectedRow) {
    let listeners = state.withLock { state -> [AsyncStream<Void>.Continuation] in
      if state.early != nil {
        state.early?.append(new)
        return []
      }
      var row = new
      row.seq = state.next
      state.next += 1
      var parent = state.path[row.revision] ?? 0
      if row.outcome == .passed {
        parent = state.path[row.revision - 1] ?? 0
        state.path[row.revision] = row.seq
      }
      state.rows.append(Kept(row: row, parent: parent))
      if state.rows.count > most { forget(&state) }
      if row.seq % InspectedHost.step == 0, let now = stateAfter(row.seq, in: state) {
        state.stills.append((row.seq, now))
      }
      return Array(state.listeners.values)
    }
    for listener in listeners { listener.yield() }
  }

  /// Drops the oldest tenth of the rows, up to a stored state.
  private func forget(_ state: inout State) {
    let least = state.first + most / 10
    guard let still = state.stills.first(where: { $0.seq >= least }) else { return }
    state.rows.removeFirst(still.seq - state.first + 1)
    state.first = still.seq + 1
    state.stills.removeAll { $0.seq < still.seq }
    let first = state.first
    state.path = state.path.filter { $0.value >= first - 1 }
  }

  /// Returns the state after a row: the nearest stored state on its branch, with the changes since; nil if it is
  /// dropped.
  private func stateAfter(_ seq: Int, in state: State) -> Value? {
    var patches: [[Patch.Change]] = []
    var at = seq
    while true {
      if let still = state.stills.last(where: { $0.seq == at }) {
        var value = still.state
        for patch in patches.reversed() { value.apply(patch) }
        return value
      }
      guard at >= state.first, at < state.next else { return nil }
      let kept = state.rows[at - state.first]
      if kept.row.outcome == .passed { patches.append(kept.row.writes) }
      at = kept.parent
    }
  }

  package var flow: LoadedFlow { host.flow }
  package var hasCases: Bool { false }
  package var only: String? { host.id }
  package var remembersAll: Bool { false }
  package var tasks: CaseTasks? { nil }

  package func summary(of id: String) async throws -> CaseSummary? {
    guard id == host.id else { return nil }
    let (revision, machines) = try await host.examine { ($0.revision, $0.machineStatus) }
    return CaseSummary(
      id: id, seq: state.withLock { $0.next - 1 }, revision: revision, flow: 0, born: began,
      wall: state.withLock { $0.rows.last?.row.wall } ?? began, due: nil,
      machines: Dictionary(
        machines.map { ($0.name, [$0.current]) }, uniquingKeysWith: { first, _ in first }),
      ended: nil)
  }

  package func list(
    _ place: (machine: String, state: String)?, after id: String?, limit: Int
  ) async throws -> [CaseSummary] { try await summary(of: host.id).map { [$0] } ?? [] }

  package func overdue(
    since time: Int, limit: Int
  ) async throws -> (due: [String], troubled: Set<String>) { ([], []) }

  package func rows(
    of id: String, from seq: Int, limit: Int
  ) async throws -> (rows: [InspectedRow], last: Int) {
    state.withLock { state in
      let from = max(seq, state.first)
      let end = min(state.next, from + limit)
      guard from < end else { return ([], from - 1) }
      return (state.rows[(from - state.first)..<(end - state.first)].map(\.row), end - 1)
    }
  }

  package func reach(of id: String) async throws -> (first: Int, last: Int) {
    state.withLock { ($0.first, $0.next - 1) }
  }

  package func look<Answer: Sendable>(
    at id: String, _ seq: Int?, _ look: @Sendable (Engine) throws -> Answer
  ) async throws -> Answer { try await host.examine(look) }

  package func currentWork(
    at id: String, _ seq: Int?
  ) async throws -> CaseTimeline.CurrentWork {
    var currentWork = CaseTimeline.CurrentWork()
    currentWork.effects = try host.effects
    currentWork.epoch = began
    return currentWork
  }

  package func state(of id: String, at seq: Int) async throws -> Value {
    let found = state.withLock { stateAfter(seq, in: $0) }
    guard let found else {
      throw InspectorMistake(
        .gone, "the state of \(host.name) at that time is no longer stored: there was no more room")
    }
    return found
  }

  package func news(of id: String, after seq: Int) async throws -> AsyncThrowingStream<
    Int, any Error
  > {
    let (bell, ring) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let number = state.withLock { state -> Int in
      state.lastListener += 1
      state.listeners[state.lastListener] = ring
      return state.lastListener
    }
    if state.withLock({ $0.next - 1 > seq }) { ring.yield() }
    return AsyncThrowingStream { continuation in
      let task = Task { [weak self] in
        for await _ in bell {
          guard let last = self?.state.withLock({ $0.next - 1 }) else { break }
          continuation.yield(last)
        }
        continuation.finish()
      }
      continuation.onTermination = { [weak self] _ in
        task.cancel()
        self?.state.withLock { $0.listeners[number] = nil }
      }
    }
  }

  package func rejections(of id: String) -> AsyncStream<RejectedDispatch>? { nil }

  package var wall: Int { Int(Date().timeIntervalSince1970 * 1_000_000) }

  package var clockMovesByItself: Bool { host.clockMovesByItself }

  package func lastState(of summary: CaseSummary) async throws -> Value {
    try await host.examine { try $0.state() }
  }

  package func end(_ id: String) async throws {
    throw InspectorMistake(.conflict, "a host cannot be ended here: stop it in its program")
  }

  package func retry(_ id: String) async throws { _ = try host.elapsed }

  package func dispatch(
    _ action: String, _ payload: Value, at id: String, by who: String?
  ) async throws -> Outcome {
    try await host.dispatch(action, payload, by: who)
  }

  package func may(
    _ action: String, _ payload: Value, at id: String, by who: String?
  ) async throws -> Permission {
    try await host.may(action, payload, by: who)
  }

  package func create(_ id: String) async throws {
    throw InspectorMistake(.conflict, "a host has only one case; others belong to other hosts")
  }

  package func fork(_ id: String, at seq: Int, as new: String) async throws {
    throw InspectorMistake(.conflict, "a host cannot be forked; only a case in a journal can")
  }
}
