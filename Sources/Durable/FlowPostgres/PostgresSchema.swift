#if PostgreSQL
  import FlowKernel
  import JournalRows

  /// The tables of a journal, and the settings of a session on them.
  enum PostgresSchema {
    /// The version of the tables below.
    static let version = 6

    // Ids, keys and names are bytes, so that any text can be one and they are ordered by their bytes; times
    // are microseconds since 1970, as in a file.
    private static let tables = """
      CREATE TABLE flow(id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name bytea NOT NULL,
        hash bytea NOT NULL, version bigint NOT NULL, texts bytea NOT NULL, sum bigint NOT NULL,
        UNIQUE(name, hash));
      CREATE TABLE life(id bytea PRIMARY KEY, shard bigint NOT NULL, flow bigint NOT NULL REFERENCES flow,
        born_us bigint NOT NULL, seed bytea NOT NULL, first bigint NOT NULL, base bigint NOT NULL,
        seq bigint NOT NULL, chain bigint NOT NULL, fence bigint NOT NULL, revision bigint NOT NULL,
        wall_us bigint NOT NULL, due_us bigint, machines bytea NOT NULL, ended_us bigint,
        sum bigint NOT NULL, acks bigint NOT NULL, acks_sum bigint NOT NULL,
        snaps bigint NOT NULL DEFAULT 0, snaps_sum bigint NOT NULL DEFAULT 0,
        claimed_due bigint, claimed_until bigint) WITH (fillfactor = 70);
      CREATE INDEX life_due ON life(due_us, id) WHERE due_us IS NOT NULL;
      CREATE TABLE entry(life bytea NOT NULL, seq bigint NOT NULL, flow bigint NOT NULL,
        wall_us bigint NOT NULL, revision bigint NOT NULL, chain bigint NOT NULL, sum bigint NOT NULL,
        body bytea, PRIMARY KEY(life, seq));
      CREATE TABLE snapshot(life bytea NOT NULL, seq bigint NOT NULL, flow bigint NOT NULL,
        sum bigint NOT NULL, body bytea NOT NULL, PRIMARY KEY(life, seq));
      CREATE TABLE ack(life bytea NOT NULL, key bytea NOT NULL, seq bigint NOT NULL,
        request bytea NOT NULL, revision bigint NOT NULL, wall_us bigint NOT NULL, sum bigint NOT NULL,
        PRIMARY KEY(life, key));
      CREATE TABLE stands(machine bytea NOT NULL, state bytea NOT NULL, life bytea NOT NULL,
        PRIMARY KEY(machine, state, life));
      CREATE TABLE shard(n bigint PRIMARY KEY, owner bytea, until_us bigint NOT NULL, sum bigint NOT NULL);
      CREATE TABLE node(name bytea PRIMARY KEY, until_us bigint NOT NULL, sum bigint NOT NULL);
      CREATE TABLE inbox(n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, life bytea NOT NULL,
        key bytea NOT NULL, shard bigint NOT NULL, request bytea NOT NULL, taker bytea, answer bytea,
        patience_us bigint NOT NULL, until_us bigint NOT NULL, take bigint NOT NULL DEFAULT 0,
        UNIQUE(life, key));
      CREATE TABLE task(n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, life bytea NOT NULL,
        effect bigint NOT NULL, position bytea NOT NULL, call bytea NOT NULL, scope bytea NOT NULL,
        key bytea NOT NULL, name bytea NOT NULL, kind bigint NOT NULL, queue bytea NOT NULL, once bigint NOT NULL,
        arguments bytea NOT NULL, opened_us bigint NOT NULL, deadline_us bigint, state bigint NOT NULL,
        free_us bigint, answered_us bigint, try bigint NOT NULL, attempt bigint NOT NULL,
        lost bigint NOT NULL, token bytea, worker bytea, error bytea, answer bytea, sum bigint NOT NULL);
      CREATE INDEX task_free ON task(queue, free_us, n) WHERE free_us IS NOT NULL;
      CREATE UNIQUE INDEX task_open ON task(call) WHERE state < 5;
      CREATE INDEX task_call ON task(call, n);
      CREATE INDEX task_life ON task(life, state);
      CREATE INDEX task_deadline ON task(deadline_us) WHERE deadline_us IS NOT NULL;
      CREATE INDEX task_once ON task(free_us) WHERE once = 1 AND state = 1;
      CREATE INDEX task_answered ON task(answered_us, n) WHERE state = 3;
      CREATE INDEX task_ended ON task(state, answered_us) WHERE state > 4;
      CREATE FUNCTION wall() RETURNS bigint LANGUAGE sql AS
        'SELECT (extract(epoch FROM pg_catalog.clock_timestamp()) * 1000000)::bigint';
      CREATE FUNCTION lease_sum(_n bigint, _owner bytea, _until bigint) RETURNS bigint LANGUAGE sql AS
        'SELECT pg_catalog.hashtextextended(pg_catalog.concat_ws('' '', _n, pg_catalog.encode(_owner, ''hex''), _until), 0)';
      """

    /// The function that appends entries to many cases at once, and returns an outcome for each of them.
    ///
    /// 0: the entries were appended; 1: one of the keys was answered before; 2: the case's row is not as it
    /// was expected; 3: one of the keys was answered before and has expired, so that its row must be deleted
    /// first. The right to write is in the row.
    private static let append = """
      CREATE FUNCTION append(
        _id bytea[], _old bigint[], _before bigint[], _shard bigint[], _flow bigint[], _born bigint[],
        _seed bytea[], _first bigint[], _base bigint[], _seq bigint[], _chain bigint[], _fence bigint[],
        _revision bigint[], _wall bigint[], _due bigint[], _machines bytea[], _ended bigint[], _sum bigint[],
        _acks bigint[], _acks_sum bigint[],
        _entry bigint[], _eseq bigint[], _eflow bigint[], _ewall bigint[], _erevision bigint[],
        _echain bigint[], _esum bigint[], _ebody bytea[],
        _ack bigint[], _akey bytea[], _aseq bigint[], _arequest bytea[], _arevision bigint[],
        _awall bigint[], _asum bigint[], _aoldest bigint[],
        _gone bigint[], _gmachine bytea[], _gstate bytea[],
        _come bigint[], _cmachine bytea[], _cstate bytea[]
      ) RETURNS bigint[] LANGUAGE plpgsql AS $$
      DECLARE
        outcomes bigint[] := array_fill(2::bigint, ARRAY[cardinality(_id)]);
        found bigint[];
        forgotten bigint[];
        one bigint;
      BEGIN
        IF cardinality(_ack) > 0 THEN
          SELECT coalesce(array_agg(DISTINCT g.n), '{}'),
              coalesce(array_agg(DISTINCT g.n) FILTER (WHERE ack.wall_us >= g.oldest), '{}') INTO forgotten, found
            FROM unnest(_ack, _akey, _aoldest) AS g(n, key, oldest)
            JOIN ack ON ack.life = _id[g.n] AND ack.key = g.key;
          FOREACH one IN ARRAY forgotten LOOP outcomes[one] := 3; END LOOP;
          FOREACH one IN ARRAY found LOOP outcomes[one] := 1; END LOOP;
        END IF;
        WITH changed AS (
          UPDATE life SET flow = g.flow, seq = g.seq, chain = g.chain, revision = g.revision,
              wall_us = g.wall, due_us = g.due, machines = g.machines, ended_us = g.ended, sum = g.sum,
              acks = g.acks, acks_sum = g.acks_sum
            FROM unnest(_id, _old, _before, _flow, _seq, _chain, _fence, _revision, _wall, _due, _machines,
              _ended, _sum, _acks, _acks_sum) WITH ORDINALITY AS g(id, old, before, flow, seq, chain, fence,
              revision, wall, due, machines, ended, sum, acks, acks_sum, n)
            WHERE life.id = g.id AND life.fence = g.fence AND life.seq = g.before AND life.sum = g.old
              AND outcomes[g.n] = 2
            RETURNING g.n AS n
        ) SELECT coalesce(array_agg(n), '{}') INTO found FROM changed;
        FOREACH one IN ARRAY found LOOP outcomes[one] := 0; END LOOP;
        IF array_position(_old, NULL) IS NOT NULL THEN
          WITH born AS (
            INSERT INTO life(id, shard, flow, born_us, seed, first, base, seq, chain, fence, revision, wall_us,
                due_us, machines, ended_us, sum, acks, acks_sum)
              SELECT g.id, g.shard, g.flow, g.born, g.seed, g.first, g.base, g.seq, g.chain, g.fence,
                  g.revision, g.wall, g.due, g.machines, g.ended, g.sum, g.acks, g.acks_sum
                FROM unnest(_id, _old, _shard, _flow, _born, _seed, _first, _base, _seq, _chain, _fence,
                  _revision, _wall, _due, _machines, _ended, _sum, _acks, _acks_sum) WITH ORDINALITY AS g(id,
                  old, shard, flow, born, seed, first, base, seq, chain, fence, revision, wall, due, machines,
                  ended, sum, acks, acks_sum, n)
                WHERE g.old IS NULL AND outcomes[g.n] = 2
              ON CONFLICT DO NOTHING RETURNING id
          ) SELECT coalesce(array_agg(array_position(_id, born.id)), '{}') INTO found FROM born;
          FOREACH one IN ARRAY found LOOP outcomes[one] := 0; END LOOP;
        END IF;
        INSERT INTO entry(life, seq, flow, wall_us, revision, chain, sum, body)
          SELECT _id[g.n], g.seq, g.flow, g.wall, g.revision, g.chain, g.sum, g.body
            FROM unnest(_entry, _eseq, _eflow, _ewall, _erevision, _echain, _esum, _ebody)
              AS g(n, seq, flow, wall, revision, chain, sum, body)
            WHERE outcomes[g.n] = 0;
        IF cardinality(_ack) > 0 THEN
          INSERT INTO ack(life, key, seq, request, revision, wall_us, sum)
            SELECT _id[g.n], g.key, g.seq, g.request, g.revision, g.wall, g.sum
              FROM unnest(_ack, _akey, _aseq, _arequest, _arevision, _awall, _asum)
                AS g(n, key, seq, request, revision, wall, sum)
              WHERE outcomes[g.n] = 0;
        END IF;
        IF cardinality(_gone) > 0 THEN
          DELETE FROM stands USING unnest(_gone, _gmachine, _gstate) AS g(n, machine, state)
            WHERE outcomes[g.n] = 0 AND stands.machine = g.machine AND stands.state = g.state
              AND stands.life = _id[g.n];
        END IF;
        IF cardinality(_come) > 0 THEN
          INSERT INTO stands(machine, state, life)
            SELECT g.machine, g.state, _id[g.n] FROM unnest(_come, _cmachine, _cstate) AS g(n, machine, state)
              WHERE outcomes[g.n] = 0
            ON CONFLICT DO NOTHING;
        END IF;
        RETURN outcomes;
      END $$;
      """

    /// The statement that calls the function, with the arguments in its order.
    static let appending =
      "SELECT append(\(Array(repeating: "?", count: 42).joined(separator: ", ")))"

    /// Opens a session, and creates the tables if there are none.
    ///
    /// - Parameter shards: the number of shards; nil to only read.
    static func open(_ place: PostgresPlace, shards: Int?) throws(JournalError)
      -> PostgresConnection
    {
      let connection = try PostgresConnection(place)
      try check(connection)
      // Each statement finds its rows by an index, even while the tables are new and their sizes unknown; and
      // a plan is made only once.
      try connection.script(
        """
        SET search_path = "\(place.schema)"; SET statement_timeout = 50000; SET lock_timeout = 10000;
        SET idle_in_transaction_session_timeout = 60000; SET enable_seqscan = off; SET enable_hashjoin = off;
        SET enable_mergejoin = off; SET enable_bitmapscan = off; SET jit = off;
        SET plan_cache_mode = force_generic_plan
        """)
      try tables(connection, shards)
      return connection
    }

    /// Throws if a setting of the server could lose acknowledged entries.
    private static func check(_ connection: PostgresConnection) throws(JournalError) {
      let settings = ["fsync", "synchronous_commit", "full_page_writes"]
      for name in settings {
        let value = try connection.row("SELECT current_setting('\(name)')") { $0.text(0) }
        if value == "off" {
          throw JournalError(
            .unsafe,
            "\(connection.path): \(name) is off there, so the server confirms an entry before it "
              + "is stored: a power cut would lose confirmed entries. Set it to on.")
        }
      }
    }

    private static func tables(
      _ connection: PostgresConnection, _ shards: Int?
    ) throws(JournalError) {
      let schema = connection.place.schema
      let found = try written(connection, shards)
      if found == version { return }
      guard let shards else {
        throw JournalError(.unreadable, "\(connection.path) holds no journal yet.")
      }
      try connection.writing { () throws(JournalError) in
        // One process creates them, and the others wait for it.
        try connection.script("SELECT pg_advisory_xact_lock(\(0x4d4c_4a31))")
        let found = try written(connection, shards)
        if found == version { return }
        try connection.script(
          """
          CREATE SCHEMA "\(schema)"; \(tables) \(append)
          CREATE TABLE journal(version bigint NOT NULL, shards bigint NOT NULL, id bytea NOT NULL, flow bytea,
            former bytea NOT NULL, sum bigint NOT NULL);
          INSERT INTO shard SELECT n, NULL, 0, lease_sum(n, NULL, 0) FROM generate_series(0, \(shards - 1)) AS g(n);
          """)
        let identity = JournalIdentity()
        try connection.run(
          "INSERT INTO journal VALUES (?, ?, ?, NULL, ?, ?)", .integer(version), .integer(shards),
          .text(identity.id), .text(""), .integer(JournalRow.checksum(identity)))
      }
    }

    /// Returns the version of the existing tables, or nil if there are none.
    private static func written(
      _ connection: PostgresConnection, _ shards: Int?
    ) throws(JournalError) -> Int? {
      let schema = connection.place.schema
      let found = try connection.row(
        """
        SELECT (SELECT count(*) FROM pg_catalog.pg_namespace WHERE nspname = '\(schema)'),
          (SELECT count(*) FROM pg_catalog.pg_tables WHERE schemaname = '\(schema)' AND tablename = 'journal')
        """
      ) { ($0.integer(0), $0.integer(1)) }
      guard let found, found.0 > 0 else { return nil }
      guard found.1 > 0 else {
        throw JournalError(
          .unreadable,
          "\(connection.path) has a schema \"\(schema)\" of another program: give the journal its own database."
        )
      }
      let written = try connection.row("SELECT version, shards FROM journal") {
        ($0.integer(0), $0.integer(1))
      }
      guard let written, written.0 == version else {
        throw JournalError.otherTables(connection.path, written?.0 ?? 0, known: version)
      }
      if let shards, written.1 != shards {
        throw JournalError(
          .unreadable,
          "\(connection.path) has \(written.1) shards, not \(shards): all nodes must use the same number."
        )
      }
      return written.0
    }
  }
#endif
