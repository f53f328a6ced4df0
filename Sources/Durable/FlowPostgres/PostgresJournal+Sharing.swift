#if PostgreSQL
  import FlowCases
  import FlowKernel
  import JournalRows

  // Leases, claims and the inbox use the server's clock, and are not synced to its disk: if they are lost
  // with the server, they are taken, claimed and requested again. The right to write is in the rows of the
  // cases.
  extension PostgresJournal {
    // MARK: Leases

    /// Renews a node's leases, and takes free ones up to its share.
    package func lease(
      as node: String, for time: Duration, without refused: Set<Int>
    ) throws(JournalError) -> Set<Int> {
      let (shards, length) = (shards, EngineTime.microseconds(time))
      return try quick.read { (connection) throws(JournalError) in
        try connection.writingAmongNodes { () throws(JournalError) -> Set<Int> in
          // One node at a time, so that each finds the leases of the others.
          try connection.script("LOCK TABLE node IN EXCLUSIVE MODE")
          let now = try connection.row("SELECT wall()") { $0.integer(0) } ?? 0
          let until = EngineTime.later(now, by: length)
          try connection.run("DELETE FROM node WHERE until_us <= ?", .integer(now))
          try connection.run(
            """
            INSERT INTO node SELECT ?1, ?2, lease_sum(NULL, ?1, ?2)
            ON CONFLICT (name) DO UPDATE SET until_us = excluded.until_us, sum = excluded.sum
            """,
            .text(node), .integer(until))
          let nodes = try connection.row("SELECT count(*) FROM node") { $0.integer(0) } ?? 1
          let share = (shards + max(1, nodes) - 1) / max(1, nodes)
          var (held, free): ([Int], [Int]) = ([], [])
          try connection.each("SELECT n, owner, until_us FROM shard ORDER BY n") { row in
            let shard = row.integer(0)
            if refused.contains(shard) { return }
            if row.isNull(1) || row.integer(2) <= now {
              free.append(shard)
            } else if ExactText(row.text(1)) == ExactText(node) {
              held.append(shard)
            }
          }
          held = Array(held.prefix(share))
          held += free.prefix(share - held.count)
          try connection.each(
            "\(Self.giveBack) AND n <> ALL (?)",
            [PostgresValue(.text(node)), PostgresValue(held)]
          ) { _ in }
          try connection.each(
            """
            UPDATE shard SET owner = ?1, until_us = ?2, sum = lease_sum(n, ?1, ?2) WHERE n = ANY (?3)
            """,
            [PostgresValue(.text(node)), PostgresValue(.integer(until)), PostgresValue(held)]
          ) { _ in }
          // Nobody waits for these answers any more.
          try connection.run("DELETE FROM inbox WHERE until_us <= ?", .integer(now))
          return Set(held)
        }
      }
    }

    private static let giveBack =
      "UPDATE shard SET owner = NULL, sum = lease_sum(n, NULL, until_us) WHERE owner = ?"

    /// Gives leases back at once.
    package func release(_ shards: Set<Int>?, by node: String) throws(JournalError) {
      try quick.read { (connection) throws(JournalError) in
        guard let shards else {
          try connection.run(Self.giveBack, .text(node))
          return try connection.run("DELETE FROM node WHERE name = ?", .text(node))
        }
        try connection.each(
          "\(Self.giveBack) AND n = ANY (?)",
          [PostgresValue(.text(node)), PostgresValue(Array(shards))]
        ) { _ in }
      }
    }

    /// Returns the node that holds a shard.
    package func holder(of shard: Int) throws(JournalError) -> String? {
      try quick.read { (connection) throws(JournalError) in
        try connection.row(
          "SELECT owner FROM shard WHERE n = ? AND owner IS NOT NULL AND until_us > wall()",
          .integer(shard)
        ) { $0.text(0) }
      }
    }

    /// Claims cases that have something due.
    package func claimDue(
      until time: Int, limit: Int, for claim: Duration, in shards: Set<Int>
    ) throws(JournalError) -> [String] {
      let length = EngineTime.microseconds(claim)
      return try quick.read { (connection) throws(JournalError) in
        let now = try connection.row("SELECT wall()") { $0.integer(0) } ?? 0
        // Rows that another node is claiming now are skipped. Rows that another node has claimed since are
        // checked again, because the claim is in the row.
        var found: [(due: Int, id: String)] = []
        try connection.each(
          """
          WITH free AS MATERIALIZED (
            SELECT id FROM life WHERE due_us <= ?1 AND shard = ANY (?2)
              AND (claimed_until IS NULL OR claimed_until <= ?3 OR claimed_due <> due_us)
            ORDER BY due_us, id LIMIT ?4 FOR UPDATE SKIP LOCKED
          )
          UPDATE life SET claimed_due = life.due_us, claimed_until = ?5 FROM free WHERE life.id = free.id
          RETURNING life.due_us, life.id
          """,
          [
            PostgresValue(.integer(time)), PostgresValue(Array(shards)),
            PostgresValue(.integer(now)), PostgresValue(.integer(max(0, limit))),
            PostgresValue(.integer(EngineTime.later(now, by: length))),
          ]
        ) { found.append(($0.integer(0), $0.text(1))) }
        return found.sorted {
          $0.due == $1.due ? ExactText($0.id) < ExactText($1.id) : $0.due < $1.due
        }.map(\.id)
      }
    }

    // MARK: The inbox

    /// Puts a request into the inbox.
    package func dispatch(_ dispatch: InboxDispatch) throws(JournalError) {
      let (shard, patience) = (shard(of: dispatch.id), EngineTime.microseconds(dispatch.patience))
      try quick.read { (connection) throws(JournalError) in
        try connection.run(
          """
          INSERT INTO inbox(life, key, shard, request, patience_us, until_us)
          VALUES (?1, ?2, ?3, ?4, ?5, wall() + ?5) ON CONFLICT DO NOTHING
          """, .text(dispatch.id), .text(dispatch.key), .integer(shard), .bytes(dispatch.request),
          .integer(patience))
      }
      notifier?.tell([dispatch.id])
    }

    /// Takes requests that wait for an answer.
    package func dispatches(
      in shards: Set<Int>, limit: Int, by node: String
    ) throws(JournalError) -> [InboxDispatch] {
      try quick.read { (connection) throws(JournalError) in
        var found: [InboxDispatch] = []
        // Requests that this node had taken before are returned unchanged; the others are taken in the same statement.
        try connection.each(
          """
          WITH waiting AS MATERIALIZED (
            SELECT n, life, key, request, patience_us, taker, take FROM inbox
            WHERE answer IS NULL AND shard = ANY (?1) AND until_us > wall() ORDER BY n LIMIT ?2
          ), taken AS (
            UPDATE inbox SET taker = ?3, take = inbox.take + 1 FROM waiting WHERE inbox.n = waiting.n
              AND inbox.answer IS NULL AND waiting.taker IS DISTINCT FROM ?3
            RETURNING inbox.n AS n, inbox.take AS take
          )
          SELECT life, key, request, patience_us, coalesce(taken.take, waiting.take)
          FROM waiting LEFT JOIN taken USING (n)
          WHERE waiting.taker = ?3 OR taken.n IS NOT NULL ORDER BY n
          """,
          [
            PostgresValue(Array(shards)), PostgresValue(.integer(max(0, limit))),
            PostgresValue(.text(node)),
          ]
        ) { row in
          found.append(
            InboxDispatch(
              id: row.text(0), key: row.text(1), request: row.bytes(2),
              patience: .microseconds(row.integer(3))
            ).taken(row.integer(4)))
        }
        return found
      }
    }

    /// True while a request waits for an answer to a take.
    package func isWaiting(_ dispatch: InboxDispatch) throws(JournalError) -> Bool {
      try quick.read { (connection) throws(JournalError) in
        try connection.row(
          """
          SELECT 1 FROM inbox
          WHERE life = ? AND key = ? AND request = ? AND answer IS NULL AND taker IS NOT NULL AND take = ?
            AND until_us > wall()
          """, .text(dispatch.id), .text(dispatch.key), .bytes(dispatch.request),
          .integer(dispatch.take)
        ) { _ in true } ?? false
      }
    }

    /// Answers a request.
    package func answer(_ dispatch: InboxDispatch, with answer: [UInt8]) throws(JournalError) {
      try quick.read { (connection) throws(JournalError) in
        try connection.run(
          """
          UPDATE inbox SET answer = ?
          WHERE life = ? AND key = ? AND request = ? AND answer IS NULL AND taker IS NOT NULL AND take = ?
          """, .bytes(answer), .text(dispatch.id), .text(dispatch.key), .bytes(dispatch.request),
          .integer(dispatch.take)
        )
      }
      notifier?.tell([dispatch.id])
    }

    /// Removes an answered request and returns its answer; nil as long as there is none.
    package func takeAnswer(to dispatch: InboxDispatch) throws(JournalError) -> [UInt8]? {
      // Not in one statement: if the connection is cut in its midst, the answer would be lost.
      let answer = try quick.read { (connection) throws(JournalError) in
        try connection.row(
          """
          SELECT answer FROM inbox WHERE life = ? AND key = ? AND request = ? AND answer IS NOT NULL
          """, .text(dispatch.id), .text(dispatch.key), .bytes(dispatch.request)
        ) { $0.bytes(0) }
      }
      guard let answer else { return nil }
      // If the request is not removed, it is deleted once its patience has passed.
      try? withdraw(dispatch)
      return answer
    }

    /// Withdraws a request.
    package func withdraw(_ dispatch: InboxDispatch) throws(JournalError) {
      try quick.read { (connection) throws(JournalError) in
        try connection.run(
          "DELETE FROM inbox WHERE life = ? AND key = ? AND request = ?", .text(dispatch.id),
          .text(dispatch.key), .bytes(dispatch.request))
      }
    }

    // MARK: Telling

    /// Calls `tell` with the cases that have new entries or requests.
    package func onChanges(_ tell: @escaping @Sendable (Set<String>) -> Void) {
      let listener = PostgresListener(place, tell)
      listeners.with { $0.append(listener) }
    }

    /// Returns the fence of a case's last activation.
    package func fence(of id: String) throws(JournalError) -> Int? {
      try reader.read { (connection) throws(JournalError) in
        try connection.row("SELECT fence FROM life WHERE id = ?", .text(id)) { $0.integer(0) }
      }
    }
  }
#endif
