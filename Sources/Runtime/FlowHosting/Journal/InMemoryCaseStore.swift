import FlowKernel

/// The contents of a journal in memory; a value type, so that a restart is a copy.
struct InMemoryCaseStore: Sendable {
  fileprivate struct Kept: Sendable {
    var head: AppendPosition
    var birth: JournalEntry.Birth
    /// The entries as they were appended; readers get them without the properties of the summary.
    var entries: [JournalEntry]
    var snapshots: [StoredSnapshot] = []
    /// The answers, each with the time of its entry.
    var answers: [ExactText: (answer: KeyedAnswer, wall: Int)] = [:]
    var summary: CaseSummary
  }

  /// The identity of the journal, with the flow that owns it.
  package private(set) var identity = JournalIdentity()
  private var flows: [JournaledFlow] = []
  private var cases: [ExactText: Kept] = [:]
  /// The table of tasks.
  var tasks = InMemoryTasks()
  /// The age at which keys expire.
  package let age: KeyAge

  package init(keeping age: KeyAge) { self.age = age }

  package mutating func identify(
    as flow: String, adopting: Bool, in journal: String
  ) throws(JournalError) -> JournalIdentity {
    identity = try identity.claimed(by: flow, adopting: adopting, in: journal)
    return identity
  }

  /// The cases that have not ended, by flow.
  package var livingCases: [LivingCases] {
    let living = cases.values.lazy.map(\.summary).filter { $0.ended == nil }
    return Dictionary(grouping: living, by: \.flow).sorted { $0.key < $1.key }.compactMap {
      flow, cases in
      cases.map { ExactText($0.id) }.min().map {
        LivingCases(flow: flow, count: cases.count, first: $0.text)
      }
    }
  }

  package mutating func keep(_ flow: JournaledFlow) -> Int {
    let known = flows.firstIndex {
      ExactText($0.name) == ExactText(flow.name) && ExactText($0.hash) == ExactText(flow.hash)
    }
    if let known { return known + 1 }
    flows.append(flow)
    return flows.count
  }

  /// The numbers of all flows.
  package var flowNumbers: [Int] { Array(flows.indices.map { $0 + 1 }) }

  package func flow(_ number: Int) -> JournaledFlow? {
    (1...max(1, flows.count)).contains(number) && !flows.isEmpty ? flows[number - 1] : nil
  }

  package mutating func activate(_ id: String) -> StoredCase? {
    guard var kept = cases.removeValue(forKey: ExactText(id)) else { return nil }
    kept.head.fence += 1
    cases[ExactText(id)] = kept
    let snapshot = kept.snapshots.last
    return StoredCase(
      fence: kept.head.fence, birth: kept.birth, snapshot: snapshot,
      entries: kept.entries[(snapshot?.seq ?? 0)...].map(\.asRead), ended: kept.summary.ended,
      tasks: tasks.open(of: id))
  }

  package func fence(of id: String) -> Int? { cases[ExactText(id)]?.head.fence }

  func lastEntry(of id: String) -> Int { cases[ExactText(id)]?.head.seq ?? 0 }

  /// Refuses further appends of the writer with a fence.
  mutating func breakOff(_ id: String, fence: Int) {
    let id = ExactText(id)
    if cases[id]?.head.fence == fence { cases[id]?.head.fence += 1 }
  }

  package mutating func append(
    _ entries: [JournalEntry], to id: String, fence: Int
  ) -> JournalError? {
    let name = ExactText(id)
    let refusal = AppendPosition.refusal(of: entries, to: id, fence: fence, head: cases[name]?.head)
    if let refusal { return refusal }
    guard let first = entries.first else { return nil }
    if let entry = entries.first(where: { flow($0.flow) == nil }) {
      return AppendPosition.unknownFlow(entry.flow, of: id)
    }
    var keys = Set<ExactText>()
    for entry in entries {
      for answer in entry.answers {
        let key = ExactText(answer.key)
        let known = cases[name]?.answers[key].map { !age.isForgotten($0.wall, at: entry.wall) }
        if known == true || !keys.insert(key).inserted {
          return AppendPosition.answered(answer.key, of: id)
        }
      }
    }
    guard var kept = cases.removeValue(forKey: name) ?? Kept(first, of: id, fence: fence) else {
      return AppendPosition.unknown(id)
    }
    for entry in entries {
      kept.add(entry)
      if !entry.changesTasks { continue }
      // Rows in memory cannot fail.
      try? tasks.change(at: entry.wall) { (table) throws(JournalError) in
        try table.apply(entry, of: id)
      }
    }
    cases[name] = kept
    return nil
  }

  package mutating func keep(_ snapshot: StoredSnapshot, of id: String, fence: Int) {
    guard var kept = cases.removeValue(forKey: ExactText(id)) else { return }
    let last = kept.snapshots.last?.seq ?? 0
    if kept.head.fence == fence && snapshot.seq <= kept.head.seq && snapshot.seq > last {
      kept.snapshots = kept.snapshots.suffix(1) + [snapshot]
    }
    cases[ExactText(id)] = kept
  }

  package func answer(to key: String, of id: String) -> KeyedAnswer? {
    guard let found = cases[ExactText(id)]?.answers[ExactText(key)], !age.isForgotten(found.wall)
    else { return nil }
    return found.answer
  }

  package func entries(of id: String, from seq: Int, limit: Int) -> [JournalEntry] {
    guard let entries = cases[ExactText(id)]?.entries else { return [] }
    return entries.dropFirst(max(0, seq - 1)).prefix(max(0, limit)).map(\.asRead)
  }

  package func snapshots(of id: String) -> [StoredSnapshot] {
    cases[ExactText(id)]?.snapshots ?? []
  }

  package func summary(of id: String) -> CaseSummary? { cases[ExactText(id)]?.summary }

  package func cases(
    whose machine: (name: String, state: String)?, after id: String?, limit: Int
  ) -> [CaseSummary] {
    let found = cases.values.lazy.map(\.summary).filter { summary in
      if let id, ExactText(summary.id) <= ExactText(id) { return false }
      guard let machine else { return true }
      let state = ExactText(machine.state)
      return summary.machines.contains {
        ExactText($0.key) == ExactText(machine.name) && $0.value.contains { ExactText($0) == state }
      }
    }
    let sorted = found.sorted { ExactText($0.id) < ExactText($1.id) }
    return Array(sorted.prefix(max(0, limit)))
  }

  package func due(until time: Int, limit: Int) -> [String] {
    let due = cases.values.compactMap { kept in kept.summary.due.map { ($0, kept.summary.id) } }
      .filter { $0.0 <= time }
      .sorted { $0.0 == $1.0 ? ExactText($0.1) < ExactText($1.1) : $0.0 < $1.0 }
    return due.prefix(max(0, limit)).map(\.1)
  }

  package func nextDue(after time: Int) -> Int? {
    cases.values.lazy.compactMap(\.summary.due).filter { $0 > time }.min()
  }

  /// Returns a copy as another process finds it: some cases cut to a number of entries, and new fences.
  package func restarted(with lengths: [ExactText: Int]) -> InMemoryCaseStore {
    var cut = self
    for id in cut.cases.keys { cut.cases[id]?.head.fence += 1 }
    for (id, length) in lengths {
      guard let kept = cut.cases.removeValue(forKey: id), let first = kept.entries.first,
        length > 0, var again = Kept(first, of: id.text, fence: kept.head.fence + 1)
      else { continue }
      for entry in kept.entries.prefix(length) { again.add(entry) }
      again.snapshots = kept.snapshots.filter { $0.seq <= length }
      cut.cases[id] = again
    }
    return cut
  }
}

extension InMemoryCaseStore.Kept {
  /// Makes a case before its first entry; nil if that entry is not a birth.
  init?(_ first: JournalEntry, of id: String, fence: Int) {
    guard let birth = first.birth else { return nil }
    self.birth = birth
    head = AppendPosition(fence: fence, seq: 0, hasEnded: false)
    entries = []
    summary = CaseSummary(
      id: id, seq: 0, revision: 0, flow: first.flow, born: birth.time, wall: birth.time, due: nil,
      machines: [:], ended: nil)
  }

  /// Appends an entry, which must fit.
  fileprivate mutating func add(_ entry: JournalEntry) {
    entries.append(entry)
    head.seq = entry.seq
    head.hasEnded = entry.hasEnded
    for answer in entry.answers { answers[ExactText(answer.key)] = (answer, entry.wall) }
    summary = summary.followed(by: entry)
  }
}
