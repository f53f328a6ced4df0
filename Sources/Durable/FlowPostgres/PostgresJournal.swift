#if PostgreSQL
  import FlowCases
  import FlowHosting
  import FlowKernel
  import JournalRows
  import Platform

  /// A journal in PostgreSQL: several processes, on several machines, keep one set of cases there, and any of them may
  /// die.
  ///
  /// ```swift
  /// let store = try PostgresJournal("postgresql://orders@db.example.org/orders?sslmode=verify-full")
  /// let orders = try await Cases(of: order, in: store)
  /// try await orders["o-17"].dispatch("pay", ["cents": 250], key: "req-81")
  /// ```
  ///
  /// What it has acknowledged is on the server's disk. Who may write a case is in the case's row there: each activation
  /// takes it over, and an append of anybody else changes nothing, however late it comes. Where a connection is cut in
  /// the middle of an append, the store asks what has become of it before it tells.
  ///
  /// The tables are made at first, in a schema of their own (`moonlatch`). Ids, keys and names are `bytea` there, times
  /// are microseconds since 1970.
  public final class PostgresJournal: SharedJournal, SnapshotReading, FlowListing {
    let place: PostgresPlace
    let keys: KeyAge
    let batchWriter: PostgresBatchWriter
    let reader: PostgresReaders
    let notifier: PostgresNotifier?
    let listeners = Monitor<[PostgresListener]>([])
    /// For leases, claims and the inbox, which may be lost with the server.
    let quick: PostgresReaders
    /// How many parts cases are dealt into.
    public let shards: Int
    /// True: a thread of the journal's own writes.
    public var writesAtOnce: Bool { true }
    private let flows: Monitor<[[ExactText]: Int]>
    /// As it was last read here.
    private let identity = Monitor<JournalIdentity?>(nil)
    /// So long is waited until what was added to a case has its answer, in milliseconds.
    private let patience: Int

    /// What messages call the journal: its URL without the password.
    public var name: String { place.name }

    /// Connects to a journal, and makes an empty one where there is none.
    ///
    /// - Parameters:
    ///   - url: where it is, as libpq reads it: with the user, the database, and how the connection is kept secret
    ///     (`sslmode=verify-full`).
    ///   - shards: how many parts cases are dealt into for those who share them; the same for all.
    ///   - keys: how long the keys of dispatches are kept.
    ///   - tellsOthers: whether other processes are told what is new, at most 20 times a second.
    /// - Throws: `JournalError`: `unsafe`, where the server could lose what it acknowledges; `unreadable`, where the
    ///   tables are of a later Moonlatch or another program; `failed`, where it cannot be reached.
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
        throw JournalError(.failed, "\(place.name): cases are dealt into 1 to 65,536 shards.")
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
    public func identify(
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

    /// Keeps the texts of a flow.
    public func keep(_ flow: JournaledFlow) throws(JournalError) -> Int {
      let name = [ExactText(flow.name), ExactText(flow.hash)]
      if let number = flows.with({ $0[name] }) { return number }
      let number = try batchWriter.perform { (connection) throws(JournalError) -> Int in
        if let number = try FlowRow.numbers(on: connection)[name] { return number }
        // Another process may come first all the same.
        if let number = try FlowRow.insert(flow, on: connection) { return number }
        return try FlowRow.numbers(on: connection)[name] ?? 0
      }
      flows.with { $0[name] = number }
      return number
    }

    /// Becomes the writer of a case.
    public func activate(_ id: String) throws(JournalError) -> StoredCase? {
      let name = ExactText(id)
      for _ in 0..<Self.mostTries {
        let settled = batchWriter.line.wait(milliseconds: patience) { line in
          line.settled(name).map { (last: $0, fence: line.fence(of: name)) }
        }
        guard let (last, known) = settled else {
          throw JournalError(
            .failed,
            "\(self.name): case \(id) cannot be taken over: what was added to it before is still on its way, since "
              + "the server does not answer. Ask again.")
        }
        let found = try reader.read { (connection) throws(JournalError) in
          try connection.writingAmongNodes { () throws(JournalError) -> CaseReads.Found? in
            guard var row = try CaseRow.read(id, toWrite: true, on: connection) else { return nil }
            let found = try CaseReads(connection: connection).find(row)
            // More is known here than there where the server was set back to a backup.
            row.fence = max(row.fence, known) + 1
            try row.update(on: connection)
            return found
          }
        }
        guard let found else { return nil }
        let fence = batchWriter.line.with {
          $0.activate(name, since: last, fence: found.row.fence)
        }
        // Otherwise something was added while it was read.
        if let fence { return found.stored(fence: fence) }
      }
      throw JournalError(
        .failed,
        "\(name): case \(id) cannot be taken over: others write it all the time. Ask again.")
    }

    private static let mostTries = 1_000

    /// Adds entries to a case.
    public func append(
      _ entries: [JournalEntry], to id: String, fence: Int,
      _ done: @escaping @Sendable (JournalError?) -> Void
    ) {
      let append = Line.Append(entries, to: id, fence: fence, done: done)
      let path = place.name
      if !batchWriter.line.with(waking: true, { $0.add(append, to: path) }) {
        done(AppendPosition.closed(path))
      }
    }

    /// Keeps a snapshot of a case, when nobody waits for anything else.
    public func keep(_ snapshot: StoredSnapshot, of id: String, fence: Int) {
      batchWriter.line.with(waking: true) { $0.add(snapshot, of: ExactText(id), fence: fence) }
    }

    /// Waits until all that was added is kept, and ends the connections.
    public func close() throws(JournalError) { end() }

    // MARK: Reading

    private func read<T>(
      _ body: (CaseReads) throws(JournalError) -> T
    ) throws(JournalError) -> T {
      try reader.read { (connection) throws(JournalError) in
        try body(CaseReads(connection: connection))
      }
    }

    /// The flow of a number.
    public func flow(_ number: Int) throws(JournalError) -> JournaledFlow? {
      try read { (reads) throws(JournalError) in
        try FlowRow.read(number, on: reads.connection)
      }
    }

    /// The numbers of all flows that are kept.
    package func flowNumbers() throws(JournalError) -> [Int] {
      try read { (reads) throws(JournalError) in try FlowRow.all(on: reads.connection) }
    }

    /// What was answered to a dispatch with a key.
    public func answer(to key: String, of id: String) throws(JournalError) -> KeyedAnswer? {
      try read { (reads) throws(JournalError) in try reads.answer(to: key, of: id, keys) }
    }

    /// Entries of a case in order.
    public func entries(
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

    /// Cases in order of id.
    public func cases(
      whose machine: (name: String, state: String)?, after id: String?, limit: Int
    ) throws(JournalError) -> [CaseSummary] {
      try read { (reads) throws(JournalError) in
        try reads.cases(whose: machine, after: id, limit: limit)
      }
    }

    /// What is known of one case.
    public func summary(of id: String) throws(JournalError) -> CaseSummary? {
      try read { (reads) throws(JournalError) in try reads.summary(of: id) }
    }

    /// The ids of cases that have something due.
    public func due(until time: Int, limit: Int) throws(JournalError) -> [String] {
      try read { (reads) throws(JournalError) in try reads.due(until: time, limit: limit) }
    }

    /// When the next case has something due that is later than a time.
    public func nextDue(after time: Int) throws(JournalError) -> Int? {
      try read { (reads) throws(JournalError) in try reads.nextDue(after: time) }
    }

    /// Looks at all that is kept: whether each entry, snapshot and answer is what was written, and none is missing.
    public func verify() throws(JournalError) -> JournalFindings {
      try reader.read { (connection) throws(JournalError) in
        try Verification.run(CaseReads(connection: connection))
      }
    }
  }
#endif
