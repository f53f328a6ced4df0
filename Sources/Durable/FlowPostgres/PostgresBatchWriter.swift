#if PostgreSQL
  import FlowHosting
  import FlowKernel
  import JournalRows
  import Platform

  /// The writer of a journal in PostgreSQL, which sends all waiting appends to the server as one transaction.
  ///
  /// The rows of cases are cached as they were written last. The server appends only if the row is still the
  /// same, under the same fence: a writer that was fenced, or whose cache is out of date, finds out from the
  /// outcome.
  final class PostgresBatchWriter: LineWriter, @unchecked Sendable {
    private let thread: LineThread
    private let path: String
    private let shards: Int
    private let keys: KeyAge
    private let told: @Sendable ([String]) -> Void

    // Used by the thread alone.
    private let link: PostgresLink
    private var flows: Set<Int> = []
    private var rows: [ExactText: CaseRow] = [:]

    /// The time without waiting appends after which snapshots are stored, in milliseconds.
    private static let idle = 200
    /// The greatest number of rows that are cached.
    private static let mostRows = 20_000
    private static let mostRounds = 100

    /// Makes a writer.
    ///
    /// - Parameter told: called with the ids of cases that have new entries.
    init(
      _ link: PostgresLink, shards: Int, keys: KeyAge, told: @escaping @Sendable ([String]) -> Void
    ) {
      (self.link, self.shards, self.keys, self.told) = (link, shards, keys, told)
      path = link.place.name
      thread = LineThread(path)
    }

    var line: Monitor<Line> { thread.line }

    func start() throws(JournalError) { try thread.start(self) }

    func close() { thread.close() }

    /// Runs `body` with the connection on the writer's thread, and waits for it; it may be run twice.
    func perform<T: Sendable>(
      _ body: @escaping @Sendable (PostgresConnection) throws(JournalError) -> T
    ) throws(JournalError) -> T {
      try thread.perform { () throws(JournalError) in try self.link.perform(body) }
    }

    // MARK: The thread

    func next(in line: Monitor<Line>) -> Line.Step {
      line.wait(milliseconds: Self.idle) { $0.next(takesSnapshots: false) }
        ?? line.wait { $0.next(takesSnapshots: true) }
    }

    func perform(_ work: Line.Work) {
      do throws(JournalError) {
        try work.body()
        work.done(nil)
      } catch {
        work.done(error)
      }
    }

    /// Does nothing, because the server cleans up by itself.
    func checkpoint() {}

    func end() { link.close() }

    func keep(_ snapshots: [(id: ExactText, snapshot: StoredSnapshot, fence: Int)]) {
      for (id, snapshot, fence) in snapshots {
        let row = try? link.perform { (connection) throws(JournalError) in
          try connection.writingAmongNodes { () throws(JournalError) in
            try CaseWrites(connection: connection).keep(snapshot, of: id.text, fence: fence)
          }
        }
        rows[id] = row ?? nil
      }
    }

    // MARK: Appends

    func writeBatch(_ appends: [Line.Append]) {
      var taken = Taken(appends)
      do throws(JournalError) {
        if rows.count > Self.mostRows { rows = [:] }
        let end = PostgresConnection.now + PostgresConnection.patience
        for _ in 0..<Self.mostRounds
        where !taken.waiting.isEmpty && PostgresConnection.now < end {
          try round(&taken)
        }
        if !taken.waiting.isEmpty {
          throw JournalError(
            .failed,
            "\(path): the server is too busy, or others keep changing these cases: the request "
              + "may have been carried out.")
        }
      } catch {
        rows = [:]
        if appends.count > 1, taken.isSplittable {
          // One of them may have caused the error.
          reportOutcomes(taken)
          for place in taken.waiting { writeBatch([appends[place]]) }
          return
        }
        for place in taken.waiting { taken.outcomes[place] = (error, isBroken: true) }
        taken.waiting = []
      }
      reportOutcomes(taken)
    }

    /// The appends of a batch, with their outcomes.
    private struct Taken {
      let appends: [Line.Append]
      var outcomes: [Int: (error: JournalError?, isBroken: Bool)] = [:]
      /// The indices of appends without an outcome, in order.
      var waiting: [Int]
      /// Cases of which one append is tried at a time.
      var single: Set<ExactText> = []
      /// True if a connection was cut meanwhile, so that the appends may have been stored already.
      var isUncertain = false
      /// True if the server has answered, and one of the appends has caused an error.
      var isSplittable = false

      init(_ appends: [Line.Append]) {
        (self.appends, waiting) = (appends, Array(appends.indices))
      }
    }

    private func round(_ taken: inout Taken) throws(JournalError) {
      let connection: PostgresConnection
      let batch: PostgresBatch
      let outcomes: [(group: PostgresBatch.Group, outcome: PostgresBatch.Outcome)]
      connection = try link.opened()
      do throws(JournalError) {
        batch = try plan(&taken, connection)
        outcomes = batch.isEmpty ? [] : try batch.send(on: connection, shards: shards)
        for (group, outcome) in outcomes { try settle(group, outcome, &taken, connection) }
      } catch {
        if connection.isBroken {
          // Only another query shows whether the appends were stored.
          taken.isUncertain = true
          rows = [:]
        } else if !connection.isWorthAnother {
          taken.isSplittable = true
          throw error
        }
        return
      }
      taken.waiting.removeAll { taken.outcomes[$0] != nil }
    }

    /// Makes the next batch; refused appends get their outcome at once.
    private func plan(
      _ taken: inout Taken, _ connection: PostgresConnection
    ) throws(JournalError) -> PostgresBatch {
      var batch = PostgresBatch()
      var postponed: Set<ExactText> = []
      for place in taken.waiting where taken.outcomes[place] == nil {
        let append = taken.appends[place]
        let id = append.id
        if postponed.contains(id) { continue }
        let group = batch[id]
        let isWriter: Bool
        switch line.with({ $0.isWriters(append) }) {
        case .success(let answer): isWriter = answer
        case .failure(let error):
          taken.outcomes[place] = (error, isBroken: false)
          continue
        }
        // The row that is read next may already include it.
        if group == nil, taken.isUncertain, try isThere(append.entries, of: id.text, connection) {
          taken.outcomes[place] = (nil, isBroken: false)
          continue
        }
        let known: CaseRow?
        if let group {
          known = group.after
        } else {
          known = try row(for: append, isWriter, connection)
        }
        let keys = append.entries.flatMap(\.answers).map { ExactText($0.key) }
        if let refusal = try refusal(of: append, isWriter, known, keys, connection) {
          if group == nil {
            refuse(place, refusal, &taken)
          } else {
            postponed.insert(id)
          }
          continue
        }
        guard let first = append.entries.first else {
          taken.outcomes[place] = (nil, isBroken: false)
          continue
        }
        let isAlone =
          taken.single.contains(id) || group.map { !$0.keys.isDisjoint(with: keys) } ?? false
        if group != nil && isAlone {
          postponed.insert(id)
          continue
        }
        guard
          let before = known
            ?? first.birth.map({ CaseRow(first, birth: $0, of: id.text, fence: append.fence) })
        else { throw AppendPosition.unknown(id.text) }
        var next = group ?? PostgresBatch.Group(id.text, before: known, after: before)
        next.add(append.entries, member: place, self.keys)
        batch[id] = next
      }
      return batch
    }

    /// Returns the row of the case, from the cache if it is there.
    private func row(
      for append: Line.Append, _ isWriter: Bool, _ connection: PostgresConnection
    ) throws(JournalError) -> CaseRow? {
      if let row = rows[append.id], row.fence == append.fence { return row }
      if append.isBirth && isWriter && rows[append.id] == nil { return nil }
      let row = try CaseRow.read(append.id.text, on: connection)
      rows[append.id] = row
      return row
    }

    private func refusal(
      of append: Line.Append, _ isWriter: Bool, _ row: CaseRow?, _ keys: [ExactText],
      _ connection: PostgresConnection
    ) throws(JournalError) -> JournalError? {
      let (id, fence) = (append.id.text, append.fence)
      let head = row.map { row in
        AppendPosition(
          fence: isWriter && row.fence == fence ? fence : fence &+ 1, seq: row.seq,
          hasEnded: row.summary.ended != nil)
      }
      if let refusal = AppendPosition.refusal(of: append.entries, to: id, fence: fence, head: head)
      {
        return refusal
      }
      if append.entries.contains(where: { !flows.contains($0.flow) }) {
        flows = Set(try FlowRow.numbers(on: connection).values)
      }
      if let entry = append.entries.first(where: { !flows.contains($0.flow) }) {
        return AppendPosition.unknownFlow(entry.flow, of: id)
      }
      var given: Set<ExactText> = []
      for key in keys where !given.insert(key).inserted {
        return AppendPosition.answered(key.text, of: id)
      }
      return nil
    }

    private func refuse(_ place: Int, _ refusal: JournalError, _ taken: inout Taken) {
      let append = taken.appends[place]
      if append.isBirth { line.with { $0.refuseBirth(append) } }
      taken.outcomes[place] = (refusal, isBroken: false)
    }

    /// Records the outcome of a case.
    private func settle(
      _ group: PostgresBatch.Group, _ outcome: PostgresBatch.Outcome, _ taken: inout Taken,
      _ connection: PostgresConnection
    ) throws(JournalError) {
      let id = ExactText(group.id)
      if outcome == .added {
        rows[id] = group.after
        for place in group.members { taken.outcomes[place] = (nil, isBroken: false) }
        return
      }
      rows[id] = nil
      if outcome == .forgotten {
        let entries = group.members.flatMap { taken.appends[$0].entries }
        return try connection.writingAmongNodes { () throws(JournalError) in
          try CaseWrites(connection: connection, keys: keys).forget(
            answeredBefore: entries, of: group.id)
        }
      }
      guard group.members.count == 1, let place = group.members.first else {
        taken.single.insert(id)
        return
      }
      let append = taken.appends[place]
      // An append that was being sent when the connection was cut may have been stored since the last query.
      if taken.isUncertain, try isThere(append.entries, of: group.id, connection) {
        taken.outcomes[place] = (nil, isBroken: false)
        return
      }
      let refusal: JournalError?
      if outcome == .answered {
        refusal = try CaseWrites(connection: connection, keys: keys).answered(
          append.entries, of: group.id
        ).refusal
      } else {
        let row = try CaseRow.read(group.id, on: connection)
        rows[id] = row
        refusal = try self.refusal(of: append, true, row, [], connection)
      }
      if let refusal { refuse(place, refusal, &taken) }
    }

    /// True if the last of these entries is stored as it was given; then all are, because they are appended as a whole.
    private func isThere(
      _ entries: [JournalEntry], of id: String, _ connection: PostgresConnection
    ) throws(JournalError) -> Bool {
      guard let last = entries.last.map(EntryRow.init) else { return false }
      let found = try connection.row(
        "SELECT flow, wall_us, revision, sum FROM entry WHERE life = ? AND seq = ?", .text(id),
        .integer(last.seq)
      ) { [$0.integer(0), $0.integer(1), $0.integer(2), $0.integer(3)] }
      return found == [last.flow, last.wall, last.revision, last.sum]
    }

    private func reportOutcomes(_ taken: Taken) {
      let outcomes = taken.outcomes.sorted { $0.key < $1.key }.map {
        (append: taken.appends[$0.key], error: $0.value.error, isBroken: $0.value.isBroken)
      }
      thread.tell(outcomes)
      told(outcomes.filter { $0.error == nil }.map(\.append.id.text))
    }
  }
#endif
