#if PostgreSQL
  import FlowCases
  import FlowHosting
  import FlowKernel
  import JournalRows
  import Platform

  /// A journal in PostgreSQL: several processes on several machines serve one set of cases, and each of them may fail.
  ///
  /// ```swift
  /// let store = try PostgresJournal("postgresql://orders@db.example.org/orders?sslmode=verify-full")
  /// let orders = try await Cases(of: order, in: store)
  /// try await orders["o-17"].dispatch("pay", ["cents": 250], key: "req-81")
  /// ```
  ///
  /// Acknowledged entries are on the server's disk. The right to write a case is in the case's row: each
  /// activation takes it over, and an append of any other writer changes nothing, however late it arrives. If
  /// a connection is cut during an append, the journal queries whether it was stored before it reports the
  /// result.
  ///
  /// The tables are created at first use, in a schema of their own (`moonlatch`). In them ids, keys and names
  /// are `bytea`, and times are microseconds since 1970.
  public final class PostgresJournal: Journal, SharedJournal, SnapshotReading, FlowListing {
    let place: PostgresPlace
    let keys: KeyAge
    let batchWriter: PostgresBatchWriter
    let reader: PostgresReaders
    let notifier: PostgresNotifier?
    let listeners = Monitor<[PostgresListener]>([])
    /// Connections for leases, claims and the inbox, which may be lost with the server.
    let quick: PostgresReaders
    /// The number of shards.
    package let shards: Int
    /// True: writes are made on a thread of the journal's own.
    package var writesAtOnce: Bool { true }
    private let flows: Monitor<[[ExactText]: Int]>
    /// The identity as it was last read here.
    private let identity = Monitor<JournalIdentity?>(nil)
    /// The longest time to wait for the answers of earlier appends to a case, in milliseconds.
    private let patience: Int

    /// The name of the journal in messages: its URL without the password.
    public var name: String { place.name }

    /// Connects to a journal, and creates an empty one if there is none.
    ///
    /// - Parameters:
    ///   - url: a connection URL of libpq, with the user, the database, and the protection of the connection
    ///     (`sslmode=verify-full`).
    ///   - shards: the number of shards, from 1 to 65,536; it must be the same for all nodes.
    ///   - keys: how long the keys of dispatches are kept before they expire.
    ///   - tellsOthers: true to notify other processes of new entries and requests, at most 20 times a second.
    /// - Throws: `JournalError`: `unsafe` if the server could lose acknowledged entries; `unreadable` if the
    ///   tables are of a later Moonlatch or another program; `failed` if the server cannot be reached.
    public convenience init(
      _ url: String, shards: Int = 256, keepingKeys keys: Duration = .seconds(7 * 24 * 3_600),
      tellsOthers: Bool = true
    ) throws(JournalError) {
      try self.init(
        place: PostgresPlace(url), shards: shards, keys: KeyAge(keys), tellsOthers: tellsOthers)
    }

    package convenience init(
      _ url: String, schema: String, keys: KeyAge = KeyAge(KeyAge.week), tellsOthers: Bool = true
    ) throws(JournalError) {
      try self.init(
        place: PostgresPlace(url, schema: schema), shards: 256, keys: keys, tellsOthers: tellsOthers
      )
    }

    init(
      place: PostgresPlace, shards: Int, keys: KeyAge, tellsOthers: Bool,
      patience: Int = PostgresConnection.patience
    ) throws(JournalError) {
      guard (1...65_536).contains(shards) else {
        throw JournalError(.failed, "\(place.name): a journal has 1 to 65,536 shards.")
      }
      let connection = try PostgresSchema.open(place, shards: shards)
      flows = Monitor(try FlowRow.numbers(on: connection))
      (self.place, self.keys, self.patience) = (place, keys, patience)
      reader = PostgresReaders(place)
      quick = PostgresReaders(place, isQuick: true)
      self.shards = shards
      let notifier = tellsOthers ? PostgresNotifier(place) : nil
      self.notifier = notifier
      batchWriter = PostgresBatchWriter(
        PostgresLink(place, shards: shards, connection), shards: shards, keys: keys
      ) { notifier?.tell($0) }
      try batchWriter.start()
    }

    deinit { end() }

    private func end() {
      batchWriter.close()
      notifier?.close()
      for listener in listeners.with({ $0 }) { listener.close() }
      listeners.with { $0 = [] }
      reader.close()
      quick.close()
    }

    // MARK: Writing

    /// Claims the journal for a flow.
    package func identify(
      as flow: String, adopting: Bool
    ) throws(JournalError) -> JournalIdentity {
      if let known = identity.with({ $0 }), known.flow.map(ExactText.init) == ExactText(flow) {
        return known
      }
      let found = try reader.read { (connection) throws(JournalError) in
        try connection.writingAmongNodes { () throws(JournalError) in
          try JournalRow.claim(as: flow, adopting: adopting, on: connection)
        }
      }
      identity.with { $0 = found }
      return found
    }

    /// Stores the texts of a flow.
    package func keep(_ flow: JournaledFlow) throws(JournalError) -> Int {
      let name = [ExactText(flow.name), ExactText(flow.hash)]
      if let number = flows.with({ $0[name] }) { return number }
      let number = try batchWriter.perform { (connection) throws(JournalError) -> Int in
        if let number = try FlowRow.numbers(on: connection)[name] { return number }
        // Another process may still come first.
        if let number = try FlowRow.insert(flow, on: connection) { return number }
        return try FlowRow.numbers(on: connection)[name] ?? 0
      }
      flows.with { $0[name] = number }
      return number
    }

    /// Makes the caller the writer of a case.
    package func activate(_ id: String) throws(JournalError) -> StoredCase? {
      let name = ExactText(id)
      for _ in 0..<Self.mostTries {
        let settled = batchWriter.line.wait(milliseconds: patience) { line in
          line.settled(name).map { (last: $0, fence: line.fence(of: name)) }
        }
        guard let (last, known) = settled else {
          throw JournalError(
            .failed,
            "\(self.name): case \(id) cannot be taken over: earlier entries may still be on "
              + "their way, because the server does not answer. Try again.")
        }
        let found = try reader.read { (connection) throws(JournalError) in
          try connection.writingAmongNodes { () throws(JournalError) -> CaseReads.Found? in
            guard var row = try CaseRow.read(id, toWrite: true, on: connection) else { return nil }
            let found = try CaseReads(connection: connection).find(row)
            // This process knows a higher fence than the server if the server was set back to a backup.
            row.fence = max(row.fence, known) + 1
            try row.update(on: connection)
            return found
          }
        }
        guard let found else { return nil }
        let fence = batchWriter.line.with {
          $0.activate(name, since: last, fence: found.row.fence)
        }
        // Otherwise something was appended while the case was read.
        if let fence { return found.stored(fence: fence) }
      }
      throw JournalError(
        .failed,
        "\(name): case \(id) cannot be taken over: others keep writing it. Try again.")
    }

    private static let mostTries = 1_000

    /// Appends entries to a case.
    package func append(
      _ entries: [JournalEntry], to id: String, fence: Int,
      _ done: @escaping @Sendable (JournalError?) -> Void
    ) {
      let append = Line.Append(entries, to: id, fence: fence, done: done)
      let path = place.name
      if !batchWriter.line.with(waking: true, { $0.add(append, to: path) }) {
        done(AppendPosition.closed(path))
      }
    }

    /// Stores a snapshot of a case, when no append waits.
    package func keep(_ snapshot: StoredSnapshot, of id: String, fence: Int) {
      batchWriter.line.with(waking: true) { $0.add(snapshot, of: ExactText(id), fence: fence) }
    }

    /// Waits until all appended entries are stored, and closes the connections.
    public func close() throws(JournalError) { end() }

    // MARK: Reading

    private func read<T>(
      _ body: (CaseReads) throws(JournalError) -> T
    ) throws(JournalError) -> T {
      try reader.read { (connection) throws(JournalError) in
        try body(CaseReads(connection: connection))
      }
    }

    /// Returns the flow with a number.
    package func flow(_ number: Int) throws(JournalError) -> JournaledFlow? {
      try read { (reads) throws(JournalError) in
        try FlowRow.read(number, on: reads.connection)
      }
    }

    /// Returns the numbers of all stored flows.
    package func flowNumbers() throws(JournalError) -> [Int] {
      try read { (reads) throws(JournalError) in try FlowRow.all(on: reads.connection) }
    }

    /// Returns the stored answer to a dispatch with a key.
    package func answer(to key: String, of id: String) throws(JournalError) -> KeyedAnswer? {
      try read { (reads) throws(JournalError) in try reads.answer(to: key, of: id, keys) }
    }

    /// Returns entries of a case in order.
    package func entries(
      of id: String, from seq: Int, limit: Int
    ) throws(JournalError) -> [JournalEntry] {
      try read { (reads) throws(JournalError) in
        try reads.entries(of: id, from: seq, limit: limit)
      }
    }

    package func snapshot(of id: String, isNewest: Bool) throws(JournalError) -> StoredSnapshot? {
      try read { (reads) throws(JournalError) in try reads.snapshot(of: id, isNewest: isNewest) }
    }

    package func livingCases() throws(JournalError) -> [LivingCases] {
      try read { (reads) throws(JournalError) in try reads.livingCases() }
    }

    /// Returns cases in order of id.
    package func cases(
      whose machine: (name: String, state: String)?, after id: String?, limit: Int
    ) throws(JournalError) -> [CaseSummary] {
      try read { (reads) throws(JournalError) in
        try reads.cases(whose: machine, after: id, limit: limit)
      }
    }

    /// Returns the summary of a case.
    package func summary(of id: String) throws(JournalError) -> CaseSummary? {
      try read { (reads) throws(JournalError) in try reads.summary(of: id) }
    }

    /// Returns the ids of cases that have something due.
    package func due(until time: Int, limit: Int) throws(JournalError) -> [String] {
      try read { (reads) throws(JournalError) in try reads.due(until: time, limit: limit) }
    }

    /// Returns the earliest time after `time` at which a case has something due, in microseconds since 1970.
    package func nextDue(after time: Int) throws(JournalError) -> Int? {
      try read { (reads) throws(JournalError) in try reads.nextDue(after: time) }
    }

    /// Verifies the whole journal: that each entry, snapshot and answer is as it was written, and that none is missing.
    ///
    /// - Returns: the findings, with all faults.
    public func verify() throws(JournalError) -> JournalFindings {
      try reader.read { (connection) throws(JournalError) in
        try Verification.run(CaseReads(connection: connection))
      }
    }
  }
#endif
