import FlowHosting
import FlowKernel
import FlowLanguage
import LuaRuntime
import Synchronization

/// What a case was after each of its entries, worked out from the journal alone: nobody's case is touched.
///
/// What was worked out is kept at a distance of some hundred entries, so that going back and forth is quick.
package final class CaseTimeline: Sendable {
  fileprivate struct Frame {
    let seq: Int
    let flow: Int
    let image: CaseImage
    /// By number of an opening of a scope the case's time after the entry with which it was there.
    let openSince: [Int: Int]
  }

  /// The effects of a case at a moment, which an engine that stands there does not run.
  package struct CurrentWork: Sendable {
    package var effects: [EffectStatus] = []
    /// Effects that did not finish, the latest first.
    package var failed: [CaseEffects.Failed] = []
    /// By the names of scopes that are open since when they are, in microseconds of the case's time.
    package var openSince: [String: Int] = [:]
    /// As `CaseEffects.epoch`.
    package var epoch = 0

    package init() {}
  }

  private struct State {
    /// In order of entries.
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

  /// The film of one case.
  package init(of id: String, in cases: Cases) { (self.id, self.cases) = (id, cases) }

  /// Looks at an engine in which the case stands as it did after an entry: nothing of it goes on.
  ///
  /// - Throws: `JournalError`: `unknownCase`, where there is no such case or entry; `unreadable`, where what led there
  ///   was erased, or dropped by compaction.
  package func look<Answer>(
    at seq: Int, _ look: (Engine) throws -> Answer
  ) async throws -> Answer {
    try look(await engine(of: stillExpected(at: seq)))
  }

  /// The effects that were under way then, and since when scopes were open.
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
        .unknownCase, "case \(id) has entries 1 to \(summary.seq), and none of number \(seq)")
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
      if let still { keep(still) }
    }
    guard let still, still.seq == seq else { throw CaseTimeline.unreadable(id, seq) }
    return still
  }

  /// The newest snapshot that the journal has up to an entry, where it spares going through many.
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
      // Since when scopes are open, a snapshot does not tell.
      return Frame(seq: found.seq, flow: found.flow, image: image, openSince: [:])
    }
    return nil
  }

  fileprivate static func unreadable(_ id: String, _ seq: Int) -> JournalError {
    JournalError(
      .unreadable,
      "nobody can tell what case \(id) was after entry \(seq): what led there was erased, or dropped by compaction"
    )
  }

  /// With the changes of many entries carried out: what follows need not do it again.
  private func condensed(_ still: Frame) async throws -> Frame {
    if still.image.patches.count < CaseTimeline.page / 2 { return still }
    var image = still.image
    (image.tree, image.patches) = (try await engine(of: still).vm.stateBytes(after: []), [])
    return Frame(
      seq: still.seq, flow: still.flow, image: image, openSince: still.openSince)
  }

  private func keep(_ still: Frame) {
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

  /// The flow that was at work then.
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
  /// What the case is some entries later.
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
