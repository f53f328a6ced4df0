#if PostgreSQL
  import FlowCases
  import FlowHosting
  import FlowKernel
  import JournalRows

  /// A batch of appends with one group for each case: the arguments of one call of the server's function `append`.
  struct PostgresBatch {
    /// The appends to one case.
    struct Group {
      let id: String
      /// The case's row as it is cached; nil for a birth.
      let before: CaseRow?
      var after: CaseRow
      var lines: [(line: EntryRow, chain: Int)] = []
      var answers: [(row: AnswerRow, oldest: Int)] = []
      /// The indices of the appends among those that were taken.
      var members: [Int] = []
      var keys: Set<ExactText> = []
      /// The entries that open or close tasks.
      var taskEntries: [JournalEntry] = []

      init(_ id: String, before: CaseRow?, after: CaseRow) {
        (self.id, self.before, self.after) = (id, before, after)
      }

      mutating func add(_ entries: [JournalEntry], member: Int, _ keeping: KeyAge) {
        lines += after.add(entries)
        taskEntries += entries.filter(\.changesTasks)
        for entry in entries {
          for answer in entry.answers {
            keys.insert(ExactText(answer.key))
            answers.append(
              (
                AnswerRow(answer, of: id, in: entry),
                EngineTime.later(entry.wall, by: -keeping.age)
              ))
          }
        }
        members.append(member)
      }
    }

    enum Outcome: Int { case added, answered, elsewhere, forgotten }

    private(set) var groups: [Group] = []
    private var places: [ExactText: Int] = [:]

    var isEmpty: Bool { groups.isEmpty }

    subscript(id: ExactText) -> Group? {
      get { places[id].map { groups[$0] } }
      set {
        guard let newValue else { return }
        if let place = places[id] {
          groups[place] = newValue
        } else {
          places[id] = groups.count
          groups.append(newValue)
        }
      }
    }

    /// Sends the batch to the server, which performs it as one transaction.
    ///
    /// - Returns: each group with its outcome.
    func send(
      on connection: PostgresConnection, shards: Int
    ) throws(JournalError) -> [(group: Group, outcome: Outcome)] {
      guard groups.contains(where: { !$0.taskEntries.isEmpty }) else {
        return try append(on: connection, shards)
      }
      return try connection.writingAmongNodes { () throws(JournalError) in
        let outcomes = try append(on: connection, shards)
        // All leases go by the clock of the server.
        let leases = groups.contains { $0.taskEntries.contains { !$0.leases.isEmpty } }
        let wall = try leases ? connection.row("SELECT wall()") { $0.integer(0) } : nil
        for (group, outcome) in outcomes where outcome == .added {
          try CaseWrites(connection: connection).applyTasks(
            of: group.taskEntries, to: group.id, leasing: wall)
        }
        return outcomes
      }
    }

    private func append(
      on connection: PostgresConnection, _ shards: Int
    ) throws(JournalError) -> [(group: Group, outcome: Outcome)] {
      // All writers lock rows in the same order, so that no two of them wait for each other.
      let groups = groups.sorted { ExactText($0.id) < ExactText($1.id) }
      var outcomes: [Int] = []
      try connection.each(PostgresSchema.appending, Self.values(of: groups, shards)) {
        outcomes = PostgresValue.integers(of: $0.bytes(0))
      }
      guard outcomes.count == groups.count else {
        throw JournalError(
          .failed,
          "\(connection.path): its function \"append\" did not return a result for each case.")
      }
      return zip(groups, outcomes).map { ($0, Outcome(rawValue: $1) ?? .elsewhere) }
    }

    private static func values(of groups: [Group], _ shards: Int) -> [PostgresValue] {
      let rows = groups.map(\.after)
      func numbers(_ read: (CaseRow) -> Int?) -> PostgresValue { PostgresValue(rows.map(read)) }
      var values = [
        PostgresValue(groups.map(\.id)), PostgresValue(groups.map { $0.before?.checksum }),
        PostgresValue(groups.map { $0.before?.seq ?? 0 }),
        PostgresValue(groups.map { CaseShard.of($0.id, among: shards) }),
        numbers(\.summary.flow), numbers(\.summary.born),
        PostgresValue(rows.map { String($0.seed) }), numbers(\.first), numbers(\.base),
        numbers(\.seq), numbers(\.chain), numbers(\.fence), numbers(\.summary.revision),
        numbers(\.summary.wall), numbers(\.summary.due),
        PostgresValue(rows.map { MachineText.of($0.summary.machines) }),
        numbers(\.summary.ended), numbers(\.checksum), numbers(\.answers.count),
        numbers(\.answers.sum),
      ]
      let numbered = zip(1..., groups)
      let lines = numbered.flatMap { n, group in group.lines.map { (n, $0.line, $0.chain) } }
      values += [
        PostgresValue(lines.map(\.0)), PostgresValue(lines.map(\.1.seq)),
        PostgresValue(lines.map(\.1.flow)), PostgresValue(lines.map(\.1.wall)),
        PostgresValue(lines.map(\.1.revision)), PostgresValue(lines.map(\.2)),
        PostgresValue(lines.map(\.1.sum)), PostgresValue(lines.map(\.1.body)),
      ]
      let answers = numbered.flatMap { n, group in group.answers.map { (n, $0.row, $0.oldest) } }
      values += [
        PostgresValue(answers.map(\.0)), PostgresValue(answers.map(\.1.answer.key)),
        PostgresValue(answers.map(\.1.seq)),
        PostgresValue(answers.map { Optional($0.1.answer.request) }),
        PostgresValue(answers.map(\.1.answer.revision)), PostgresValue(answers.map(\.1.wall)),
        PostgresValue(answers.map(\.1.checksum)), PostgresValue(answers.map(\.2)),
      ]
      var (gone, come): ([(Int, [ExactText])], [(Int, [ExactText])]) = ([], [])
      for (n, group) in numbered {
        let (old, new) = (group.before?.summary.machines ?? [:], group.after.summary.machines)
        if old == new { continue }
        let (left, entered) = (CaseWrites.places(old), CaseWrites.places(new))
        gone += left.subtracting(entered).map { (n, $0) }
        come += entered.subtracting(left).map { (n, $0) }
      }
      for places in [gone, come] {
        values += [
          PostgresValue(places.map(\.0)), PostgresValue(places.map(\.1[0].text)),
          PostgresValue(places.map(\.1[1].text)),
        ]
      }
      return values
    }
  }
#endif
