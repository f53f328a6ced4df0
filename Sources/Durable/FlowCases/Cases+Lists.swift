import FlowHosting
import FlowKernel

/// Lists of cases, with the state names of the present text of the flow.
extension Cases {
  /// Returns the summary of a case as it will be once the present text has taken it over.
  package func brought(_ summary: CaseSummary, _ earlier: [MigratedStates.Earlier]) -> CaseSummary {
    guard let text = earlier.first(where: { $0.number == summary.flow }),
      let machines = migrated.machines(of: summary, in: text)
    else { return summary }
    return summary.with(machines)
  }

  /// Returns the earlier texts of the flow in the journal.
  func earlierTexts() async throws(JournalError) -> [MigratedStates.Earlier] {
    try await calls.call { [migrated] journal in
      guard let journal = journal as? any FlowListing else { return [] }
      return try await migrated.earlier(in: journal)
    }
  }

  /// Returns the cases of which a machine is in a state: of the present text by their rows, of earlier texts
  /// by the states to which they will migrate.
  package func cases(
    whose machine: String, in state: String, after id: String?, limit: Int
  ) async throws(JournalError) -> [CaseSummary] {
    let earlier = try await earlierTexts()
    if earlier.isEmpty {
      return try await calls.call {
        try await $0.cases(whose: (name: machine, state: state), after: id, limit: limit)
      }
    }
    var sources: Set = [state]
    for text in earlier { sources.formUnion(migrated.sources(of: machine, state, in: text)) }
    var found: [ExactText: CaseSummary] = [:]
    for source in sources {
      let page = try await cases(of: machine, from: source, to: state, earlier, after: id, limit)
      for summary in page {
        found[ExactText(summary.id)] = summary
      }
    }
    return found.sorted { $0.key < $1.key }.prefix(max(0, limit)).map(\.value)
  }

  /// Returns the cases whose row has one state and that are in another now, or in the same.
  private func cases(
    of machine: String, from source: String, to state: String,
    _ earlier: [MigratedStates.Earlier], after id: String?, _ limit: Int
  ) async throws(JournalError) -> [CaseSummary] {
    let numbers = Set(earlier.map(\.number))
    var (found, last): ([CaseSummary], String?) = ([], id)
    let size = max(100, limit)
    while found.count < limit {
      let after = last
      let page = try await calls.call {
        try await $0.cases(whose: (name: machine, state: source), after: after, limit: size)
      }
      for summary in page {
        if !numbers.contains(summary.flow) {
          if source == state { found.append(summary) }
          continue
        }
        let now = brought(summary, earlier)
        if now.machines[machine]?.contains(state) == true { found.append(now) }
      }
      guard page.count == size, let end = page.last?.id else { break }
      last = end
    }
    return found
  }
}

extension CaseSummary {
  fileprivate func with(_ machines: [String: [String]]) -> CaseSummary {
    CaseSummary(
      id: id, seq: seq, revision: revision, flow: flow, born: born, wall: wall, due: due,
      machines: machines, ended: ended)
  }
}
