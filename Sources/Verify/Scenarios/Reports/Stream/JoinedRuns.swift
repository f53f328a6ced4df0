/// The event streams of several runs, joined into one and checked: all shards are there and add up.
package struct JoinedRuns {
  /// The stream of one run.
  package struct Part {
    package var name: String
    package var events: [RunEvent]

    package init(name: String, events: [RunEvent]) {
      self.name = name
      self.events = events
    }

    var header: RunHeader {
      if case .began(let header)? = events.first { return header }
      return RunHeader()
    }

    var end: RunEnd? {
      if case .finished(let end)? = events.last { return end }
      return nil
    }

    /// The identifiers of the scenarios and files that were reported.
    var reported: [String] {
      events.compactMap {
        switch $0 {
        case .ended(let record): record.attempt == 1 ? record.id : nil
        case .unloadable(let file, _): file
        default: nil
        }
      }
    }
  }

  /// The events as of one run that did everything.
  package private(set) var events: [RunEvent] = []
  /// The inconsistencies between the parts, one sentence each.
  package private(set) var faults: [String] = []

  /// Checks the parts and joins them.
  package init(_ parts: [Part]) {
    for part in parts { check(part) }
    let shards = parts.filter { $0.header.shard != nil }
    if !shards.isEmpty {
      checkTogether(shards)
      for part in parts where part.header.shard == nil {
        faults.append("\(part.name) is not a shard, but the others are")
      }
    } else if parts.count > 1 {
      checkRepeated(parts)
    }
    join(parts)
  }

  // MARK: Checking

  private mutating func check(_ part: Part) {
    switch part.end {
    case nil: faults.append("\(part.name) is incomplete: its run did not finish")
    case let end? where end.stopped != nil:
      faults.append("\(part.name) is not complete: \(end.stopped?.rawValue ?? "")")
    default: break
    }
    guard let shard = part.header.shard else { return }
    let reported = Set(part.reported)
    // A file that could not be loaded counts for all its scenarios.
    let missing = shard.planned.filter { id in
      !reported.contains(id) && !reported.contains { id.hasPrefix("\($0):") }
    }
    addFault(missing, "\(part.name) should have run", "but does not report it")
    addFault(
      reported.subtracting(shard.planned).filter { id in
        !shard.planned.contains { $0.hasPrefix("\(id):") }
      }.sorted(), "\(part.name) reports", "which was not planned for it")
  }

  private mutating func checkTogether(_ shards: [Part]) {
    let receipts = shards.compactMap { part in part.header.shard.map { (part.name, $0) } }
    guard let (firstName, first) = receipts.first else { return }
    for (name, receipt) in receipts.dropFirst() {
      if receipt.total != first.total {
        faults.append(
          "\(name) is one of \(receipt.total) shards, \(firstName) one of \(first.total)")
      }
      if receipt.selection != first.selection {
        faults.append(
          "\(name) and \(firstName) split different selections (\(receipt.selected) and "
            + "\(first.selected) scenarios, or other names): run every shard on the same files")
      }
    }
    checkIndices(receipts, total: first.total)
    checkPartition(receipts)
  }

  /// The number of missing shards that are named.
  private static let mostMissing = 20

  private mutating func checkIndices(_ receipts: [(String, ShardReceipt)], total: Int) {
    let names = Dictionary(grouping: receipts, by: \.1.index).mapValues { $0.map(\.0) }
    // The loop is bounded, whatever number of shards a file claims.
    let told = (1...max(1, min(total, names.count + JoinedRuns.mostMissing)))
    let missing = told.filter { names[$0] == nil }.prefix(JoinedRuns.mostMissing)
    for index in missing { faults.append("shard \(index) of \(total) is missing") }
    let rest = total - missing.count - names.keys.count { (1...max(1, total)).contains($0) }
    if rest > 0 { faults.append("\(rest) more of the \(total) shards are missing") }
    for (index, there) in names.sorted(by: { $0.key < $1.key }) {
      if !(1...max(1, total)).contains(index) {
        faults.append("\(there[0]) is shard \(index), and there are \(total)")
      }
      if there.count > 1 {
        faults.append(
          "shard \(index) occurs \(there.count) times: \(there.joined(separator: ", "))")
      }
    }
  }

  private mutating func checkPartition(_ receipts: [(String, ShardReceipt)]) {
    var owners: [String: String] = [:]
    var indices: Set<Int> = []
    for (name, receipt) in receipts where indices.insert(receipt.index).inserted {
      for id in receipt.planned {
        if let other = owners.updateValue(name, forKey: id) {
          faults.append("\(id) is in two shards: \(other) and \(name)")
        }
      }
    }
    let selected = receipts.first?.1.selected ?? 0
    if faults.isEmpty, owners.count != selected {
      faults.append("the shards have \(owners.count) of the \(selected) scenarios selected")
    }
  }

  /// Checks runs that are not shards: they may be joined if no two of them report the same.
  private mutating func checkRepeated(_ parts: [Part]) {
    var owners: [String: String] = [:]
    for part in parts {
      for id in part.reported {
        if let other = owners.updateValue(part.name, forKey: id), other != part.name {
          faults.append("\(id) is in \(other) and in \(part.name)")
        }
      }
    }
  }

  private mutating func addFault(_ ids: [String], _ before: String, _ after: String) {
    guard let first = ids.first else { return }
    let more = ids.count == 1 ? "" : " and \(ids.count - 1) more"
    faults.append("\(before) \(first)\(more), \(after)")
  }

  // MARK: Joining

  private mutating func join(_ parts: [Part]) {
    guard var header = parts.first?.header else { return }
    if parts.count == 1 {
      events = parts[0].events
      if parts[0].end == nil { events.append(.finished(RunEnd(summary(of: events)))) }
      return
    }
    header.shard = nil
    let told = parts.flatMap(\.events)
    var notes: Set<String> = []
    var unloadable: Set<RunEvent> = []
    events = [.began(header)]
    for case .nothing(let note) in told where notes.insert(note).inserted {
      events.append(.nothing(note))
    }
    let results = told.filter { event in
      // Several parts may have found the same problem of a file.
      if case .unloadable = event { return unloadable.insert(event).inserted }
      return event.sortKey != nil
    }
    var end = RunEnd(summary(of: results))
    end.microseconds = parts.compactMap(\.end?.microseconds).max() ?? 0
    end.stopped = parts.compactMap(\.end?.stopped).first
    end.hasRestarts = header.hasRestarts
    let coverage = merged(coverageOf: told)
    defer { events.insert(contentsOf: coverage, at: events.count - 1) }
    events += results.sorted { a, b in
      guard let a = a.sortKey, let b = b.sortKey else { return false }
      return a < b
    }
    events.append(.finished(end))
  }

  /// Returns one coverage event for each flow.
  private func merged(coverageOf told: [RunEvent]) -> [RunEvent] {
    var merged = MergedCoverage()
    for case .covered(let record) in told { merged.add(record) }
    return merged.events
  }

  private func summary(of events: [RunEvent]) -> RunSummary {
    var summary = RunSummary()
    for event in events { summary.count(event) }
    return summary
  }
}

extension RunEvent {
  /// The sort key of a result in a whole run; nil if the event is not a result.
  fileprivate var sortKey: (Int, String, Int)? {
    switch self {
    case .ended(let record): (record.attempt, record.file, record.line)
    case .unloadable(let file, _): (1, file, 0)
    default: nil
    }
  }
}
