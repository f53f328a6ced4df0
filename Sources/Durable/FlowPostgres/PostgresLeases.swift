#if PostgreSQL
  import FlowCases
  import FlowKernel
  import JournalRows

  /// A verification of the rows that decide which node should serve a case: leases, nodes, and the shards of cases.
  ///
  /// A wrong lease cannot cause a wrong entry: it only keeps a shard from being served until the lease ends.
  enum PostgresLeases {
    static func faults(on connection: PostgresConnection) throws(JournalError) -> [String] {
      var faults: [String] = []
      try connection.each(
        "SELECT n FROM shard WHERE sum <> lease_sum(n, owner, until_us) ORDER BY n"
      ) { row in
        faults.append(
          "the lease of shard \(row.integer(0)) was changed after it was written (UPDATE shard SET owner = NULL, until_us = 0, "
            + "sum = lease_sum(n, NULL, 0) WHERE n = \(row.integer(0)) frees it)")
      }
      try connection.each(
        "SELECT name FROM node WHERE sum <> lease_sum(NULL, name, until_us) ORDER BY name"
      ) { row in
        faults.append("the row of node \"\(row.text(0))\" was changed after it was written")
      }
      let counts = try connection.row("SELECT shards, (SELECT count(*) FROM shard) FROM journal") {
        ($0.integer(0), $0.integer(1))
      }
      if let (wanted, found) = counts, wanted != found {
        faults.append("there are leases of \(found) shards, but the journal has \(wanted)")
      }
      let shards = counts?.0 ?? 1
      try connection.each("SELECT id, shard FROM life ORDER BY id") { row in
        let wanted = CaseShard.of(row.text(0), among: shards)
        if row.integer(1) != wanted {
          faults.append(
            "case \"\(row.text(0))\" is in shard \(row.integer(1)), but belongs to shard \(wanted)")
        }
      }
      return faults
    }
  }
#endif
