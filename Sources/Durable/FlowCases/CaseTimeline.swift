import FlowHosting
import FlowKernel
import FlowLanguage
import LuaRuntime
import Platform

/// A case as it was after each of its entries, computed from the journal alone, without touching the case.
///
/// Results are cached at intervals of some hundred entries, so that moving back and forth is fast.
package final class CaseTimeline: Sendable {
  fileprivate struct Frame {
    let seq: Int
    let flow: Int
    let image: CaseImage
    /// The case's time after the entry that opened each scope instance, by the instance's number.
    let openSince: [Int: Int]
  }

  /// The effects of a case at an entry, which an engine at that entry does not run.
  package struct CurrentWork: Sendable {
    package var effects: [EffectStatus] = []
    /// The stored tasks for whose answers the effects wait; none at an earlier entry.
    package var tasks: [OpenTask.Key: StoredTask] = [:]
    /// Effects that failed, the latest first.
    package var failed: [CaseEffects.Failed] = []
    /// The times at which open scopes were opened, by name, in microseconds of the case's time.
    package var openSince: [String: Int] = [:]
    /// The epoch, as in `CaseEffects.wallAtZero`.
    package var epoch = 0

    package init() {}
  }

  private struct State {
    /// The cached frames, in order of entries.
    var stills: [Frame] = []
    var newest: Frame?
    var flows: [Int: LoadedFlow] = [:]
  }

  /// The case's id.
  package let id: String
  private let cases: Cases
  private let state = Mutex(State())

  private static let page = 500
  private static let most = 256

  /// Makes the timeline of one case.
  package init(of id: String, in cases: Cases) { (self.id, self.cases) = (id, cases) }

  /// Calls `look` with an engine in which the case is as it was after an entry; nothing in it runs.
  ///
  /// - Throws: `JournalError`: `unknownCase` if there is no such case or entry; `unreadable` if entries
  ///   before it were erased, or dropped by compaction.
  package func look<Answer>(
    at seq: Int, _ look: (Engine) throws -> Answer
  ) async throws -> Answer {
    try look(await engine(of: stillExpected(at: seq)))
  }

  /// Returns the effects that were running after an entry, and the times at which scopes were opened.
  ///
  /// - Throws: as `look(at:_:)`.
  package func currentWork(at seq: Int) async throws -> CurrentWork {
    let still = try await stillExpected(at: seq)
    let contents = JournalEntry.Contents(still.image)
    var currentWork = CurrentWork()
    currentWork.effects = contents.effectsBegan
    currentWork.epoch = still.image.caseState.clock.epoch
    for opening in still.image.caseState.scopeInstances {
      currentWork.openSince[opening.scope] = still.openSince[opening.number]
    }
    return currentWork
  }

  private func stillExpected(at seq: Int) async throws -> Frame {
    guard let summary = try await cases.summary(of: id) else { throw AppendPosition.unknown(id) }
    guard (1...max(1, summary.seq)).contains(seq) else {
      throw JournalError(
        .unknownCase, "case \(id) has no entry \(seq): its entries are 1 to \(summary.seq)")
    }
    return try await still(at: seq)
  }

  private func still(at seq: Int) async throws -> Frame {
    let (begin, newest) = state.withLock { state in
      (state.stills.last { $0.seq <= seq }, state.newest)
    }
    var still = begin
    if let newest, newest.seq <= seq, newest.seq > still?.seq ?? 0 { still = newest }
    if let kept = try await snapshot(before: seq, behind: still?.seq ?? 0) { still = kept }
    while still?.seq ?? 0 < seq {
      let from = (still?.seq ?? 0) + 1
      let entries = try await cases[id].page(
        from: from, limit: min(CaseTimeline.page, seq - from + 1))
      guard let last = entries.last, last.seq <= seq else { break }
      still = try await condensed(try still.further(by: entries, of: id))
      if let still { cacheFrame(still) }
    }
    guard let still, still.seq == seq else { throw CaseTimeline.unreadable(id, seq) }
    return still
  }

  /// Returns the newest snapshot up to an entry, if it saves reading many entries.
  private func snapshot(before seq: Int, behind known: Int) async throws -> Frame? {
    guard seq - known > CaseTimeline.page || known == 0,
      let journal = cases.journal as? any SnapshotReading
    else { return nil }
    for isNewest in [true, false] {
      let id = id
      let found = try await cases.calls.call { _ in
        try journal.snapshot(of: id, isNewest: isNewest)
      }
      guard let found, found.seq <= seq, found.seq > known,
        let image = try? CaseImage(image: found.body)
      else { continue }
      // A snapshot does not contain the times at which scopes were opened.
      return Frame(seq: found.seq, flow: found.flow, image: image, openSince: [:])
    }
    return nil
  }

  fileprivate static func unreadable(_ id: String, _ seq: Int) -> JournalError {
    JournalError(
      .unreadable,
      "case \(id): its state after entry \(seq) is unknown: earlier entries were erased, or dropped by compaction"
    )
  }

  /// Returns the frame with its patches applied to the state, if it has many, so that later frames need not
  /// apply them again.
  private func condensed(_ still: Frame) async throws -> Frame {
    if still.image.patches.count < CaseTimeline.page / 2 { return still }
    var image = still.image
    (image.tree, image.patches) = (try await engine(of: still).vm.stateBytes(after: []), [])
    return Frame(
      seq: still.seq, flow: still.flow, image: image, openSince: still.openSince)
  }

  private func cacheFrame(_ still: Frame) {
    state.withLock { state in
      if state.newest?.seq ?? 0 < still.seq { state.newest = still }
      guard still.image.patches.isEmpty else { return }
      let place = state.stills.firstIndex { $0.seq >= still.seq } ?? state.stills.count
      if place < state.stills.count, state.stills[place].seq == still.seq { return }
      state.stills.insert(still, at: place)
      guard state.stills.count > CaseTimeline.most else { return }
      state.stills = state.stills.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
    }
  }

  private func engine(of still: Frame) async throws -> Engine {
    let flow = try await flow(still.flow)
    var builder = HostScopes()
    if flow.flow.hash == cases.flow.flow.hash { cases.scopes(&builder) }
    var options = cases.options
    options.report = { _ in }
    options.print = { _ in }
    options.id = id
    let engine = try HostSettings(options, builder, flow: flow.name).engine(flow)
    try engine.take(still.image)
    return engine
  }

  /// Returns the flow with a number in the journal.
  private func flow(_ number: Int) async throws -> LoadedFlow {
    if let known = state.withLock({ $0.flows[number] }) { return known }
    guard let kept = try await cases.calls.call({ try await $0.flow(number) }) else {
      throw JournalError(.damaged, "case \(id): the texts of its flow are not kept")
    }
    let flow =
      kept.hash == cases.flow.flow.hash
      ? cases.flow
      : try LoadedFlow(
        FlowSources(kept: kept.texts), limits: cases.options.limits, log: ScriptLog { _ in })
    state.withLock { $0.flows[number] = flow }
    return flow
  }
}

extension Optional where Wrapped == CaseTimeline.Frame {
  /// Returns the case as it is some entries later.
  fileprivate func further(
    by entries: [JournalEntry], of id: String
  ) throws(JournalError) -> CaseTimeline.Frame {
    var (image, flow, seq) = (self?.image, self?.flow ?? 0, self?.seq ?? 0)
    var openSince = self?.openSince ?? [:]
    var known = Set(image?.caseState.scopeInstances.map(\.number) ?? [])
    for entry in entries {
      do throws(ValueReader.Malformed) {
        if CaseImage.kind(of: entry.body) == .image {
          image = try CaseImage(image: entry.body)
        } else {
          try image?.take(entry: entry.body)
        }
      } catch {
        image = nil
      }
      (flow, seq) = (entry.flow, entry.seq)
      guard let caseState = image?.caseState else { continue }
      for opening in caseState.scopeInstances where !known.contains(opening.number) {
        openSince[opening.number] = caseState.clock.now
        known.insert(opening.number)
      }
    }
    guard let image else { throw CaseTimeline.unreadable(id, seq) }
    let open = Set(image.caseState.scopeInstances.map(\.number))
    return CaseTimeline.Frame(
      seq: seq, flow: flow, image: image, openSince: openSince.filter { open.contains($0.key) })
  }
}
