import Foundation

/// Damage to a journal through SQLite: rows, types, definitions and settings.
struct Rows {
  private static let columns = [
    "flow": ["id", "name", "hash", "version", "texts", "sum"],
    "life": [
      "id", "flow", "born_us", "seed", "first", "base", "seq", "chain", "fence", "revision",
      "wall_us", "due_us", "machines", "ended_us", "sum", "acks", "acks_sum", "snaps", "snaps_sum",
    ],
    "entry": ["life", "seq", "flow", "wall_us", "revision", "chain", "sum", "body"],
    "snapshot": ["life", "seq", "flow", "sum", "body"],
    "ack": ["life", "key", "seq", "request", "revision", "wall_us", "sum"],
    "stands": ["machine", "state", "life"],
    "journal": ["tag", "id", "copy", "commits", "flow", "former", "sum"],
  ]
  private static let rowids = ["flow", "journal"]

  /// Damages a journal.
  ///
  /// - Returns: the statements that were run, and what went wrong with one.
  static func damage(_ path: String, _ chance: inout Chance) -> String {
    guard let database = Database(path) else { return "nothing: it cannot be opened" }
    let sql = drawn(&chance)
    // Rows that are doubled again and again must not fill the machine.
    let begin = """
      PRAGMA foreign_keys=off; PRAGMA ignore_check_constraints=on; PRAGMA max_page_count=50000;
      """
    let wrong = database.run(begin + sql)
    return sql.prefix(600) + (wrong.map { " (\($0))" } ?? "")
  }

  private static func drawn(_ chance: inout Chance) -> String {
    switch chance.below(20) {
    case 0..<6: rows(&chance)
    case 6..<9: unlike(&chance)
    case 9, 10: replaced(&chance)
    case 11: trigger(&chance)
    case 12, 13: definitions(&chance)
    case 14..<17: schema(&chance)
    default: settings(&chance)
    }
  }

  private static func table(_ chance: inout Chance) -> String {
    chance.pick("life", "entry", "entry", "snapshot", "ack", "flow", "stands", "journal")
  }

  private static func column(of table: String, _ chance: inout Chance) -> String {
    chance.one(of: columns[table] ?? [], or: columns[table]?.last ?? "id")
  }

  /// Some rows of a table.
  private static func some(_ table: String, _ chance: inout Chance) -> String {
    let key =
      rowids.contains(table)
      ? "rowid" : ["life": "id", "ack": "life, key", "stands": "machine, state, life"][table] ?? "life, seq"
    let count = chance.pick("1", "1", "1", "3", "-1")
    return
      "WHERE (\(key)) IN (SELECT \(key) FROM \(table) ORDER BY \(key) LIMIT \(count) OFFSET \(chance.below(40) % (table == "entry" ? 40 : 4)))"
  }

  private static func value(_ column: String, _ chance: inout Chance) -> String {
    chance.pick(
      "0", "1", "-1", "2", "9223372036854775807", "-9223372036854775808", "1e308", "9e999", "NULL",
      "''", "'a'", "'{'", "x''", "x'00ff'", "'\u{1}\u{202e}'", "randomblob(\(chance.below(3_000)))",
      "\(column) + 1", "\(column) - 1", "-\(column)", "\(column) || 'x'", "substr(\(column), 2)",
      "substr(\(column), 1, length(\(column)) - 1)", "zeroblob(70000)", "upper(\(column))",
      "'[' || replace(hex(zeroblob(20000)), '00', '[') || ']'", "char(0, 10, 27, 91, 51, 49, 109)")
  }

  private static func rows(_ chance: inout Chance) -> String {
    let table = table(&chance)
    let some = some(table, &chance)
    if chance.percent(30) { return "DELETE FROM \(table) \(some);" }
    if chance.percent(25) {
      // Doubled under another key.
      let names = columns[table] ?? []
      let key = table == "life" || table == "flow" ? names[0] : names[1]
      let other = chance.pick("\(key) + 1", "\(key) || 'x'", "\(key) + 100", "-1")
      let all = names.map { $0 == key ? other : $0 }.joined(separator: ", ")
      return "INSERT OR REPLACE INTO \(table) SELECT \(all) FROM \(table) \(some);"
    }
    let column = column(of: table, &chance)
    if chance.percent(20) {
      return
        "UPDATE \(table) SET \(column) = (SELECT \(column) FROM \(table) ORDER BY 1 DESC LIMIT 1) \(some);"
    }
    return "UPDATE OR REPLACE \(table) SET \(column) = \(value(column, &chance)) \(some);"
  }

  /// Values of other types than the columns have, which strict tables would refuse.
  private static func unlike(_ chance: inout Chance) -> String {
    let table = table(&chance)
    let column = column(of: table, &chance)
    let large = chance.percent(10) ? "zeroblob(\(chance.pick(60, 70) << 20))" : value(column, &chance)
    return """
      PRAGMA writable_schema=on;
      UPDATE sqlite_schema SET sql = replace(replace(sql, ' STRICT', ''), ' NOT NULL', '') || ' ' WHERE name = '\(table)';
      PRAGMA writable_schema=reset;
      UPDATE OR REPLACE \(table) SET \(column) = \(large) \(some(table, &chance));
      """
  }

  /// A view in the place of a table.
  private static func replaced(_ chance: inout Chance) -> String {
    let table = table(&chance)
    let column = column(of: table, &chance)
    let names = columns[table] ?? []
    func selected(_ other: String) -> String {
      names.map { $0 == column ? "\(other) AS \($0)" : $0 }.joined(separator: ", ")
    }
    let view = chance.pick(
      "SELECT \(selected("hex(zeroblob(400000000))")) FROM other",
      "SELECT \(selected("zeroblob(900000000)")) FROM other",
      "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT \(selected("n")) FROM r, other",
      "SELECT * FROM other UNION ALL SELECT * FROM other",
      "SELECT \(selected("randomblob(30000000)")) FROM other, other, other",
      "SELECT * FROM \(table)", "SELECT 1")
    let made = chance.pick(
      "CREATE VIEW \(table) AS \(view);", "CREATE TABLE \(table) AS SELECT * FROM other;",
      "CREATE VIRTUAL TABLE \(table) USING fts5(\(names.joined(separator: ", ")));",
      "CREATE VIEW \(table) AS \(view); CREATE TRIGGER t INSTEAD OF UPDATE ON \(table) BEGIN SELECT 1; END;")
    return "ALTER TABLE \(table) RENAME TO other; \(made)"
  }

  private static func trigger(_ chance: inout Chance) -> String {
    let table = table(&chance)
    let what = chance.pick("INSERT", "UPDATE", "DELETE")
    let body = chance.pick(
      "DELETE FROM entry;", "UPDATE life SET revision = revision + 1;", "SELECT raise(FAIL, 'no');",
      "INSERT INTO entry SELECT life, seq + 1000000, flow, wall_us, revision, chain, sum, zeroblob(1000000) FROM entry;",
      "SELECT hex(zeroblob(400000000));")
    return
      "CREATE \(chance.pick("", "TEMP ")) TRIGGER x \(chance.pick("BEFORE", "AFTER")) \(what) ON \(table) BEGIN \(body) END;"
  }

  private static func definitions(_ chance: inout Chance) -> String {
    let table = table(&chance)
    return chance.pick(
      "DROP INDEX life_due;", "CREATE INDEX x ON entry(wall_us);", "CREATE UNIQUE INDEX x ON life(flow, id);",
      "CREATE INDEX x ON entry(hex(body));", "CREATE INDEX x ON entry(seq) WHERE length(body) > 9;",
      "ALTER TABLE \(table) ADD COLUMN x INTEGER;",
      "ALTER TABLE \(table) ADD COLUMN x ANY DEFAULT (1);",
      "ALTER TABLE \(table) ADD COLUMN x BLOB AS (zeroblob(900000000)) VIRTUAL;",
      "ALTER TABLE \(table) ADD COLUMN x TEXT AS (hex(zeroblob(400000000))) VIRTUAL;",
      "ALTER TABLE \(table) RENAME COLUMN \(column(of: table, &chance)) TO x;",
      "ALTER TABLE \(table) RENAME TO x;", "DROP TABLE \(table);", "CREATE TABLE x(y);",
      "CREATE VIRTUAL TABLE x USING fts5(y);", "CREATE VIRTUAL TABLE x USING rtree(a, b, c);",
      "CREATE VIEW x AS SELECT * FROM entry;", "ANALYZE;",
      "ANALYZE; UPDATE sqlite_stat1 SET stat = '\(value("1", &chance).replacing("'", with: ""))';",
      "ANALYZE; INSERT INTO sqlite_stat1 SELECT 'life', 'life_due', replace(hex(zeroblob(100000)), '00', '9 ');",
      "VACUUM;", "REINDEX;")
  }

  /// The table of definitions itself.
  private static func schema(_ chance: inout Chance) -> String {
    let name = chance.pick("life", "entry", "snapshot", "ack", "flow", "stands", "journal", "life_due")
    let change = chance.pick(
      "UPDATE sqlite_schema SET rootpage = \(chance.below(40)) WHERE name = '\(name)';",
      "UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'entry') WHERE name = '\(name)';",
      "UPDATE sqlite_schema SET sql = NULL WHERE name = '\(name)';",
      "UPDATE sqlite_schema SET sql = 'CREATE TABLE x(' WHERE name = '\(name)';",
      "UPDATE sqlite_schema SET sql = sql || zeroblob(3) WHERE name = '\(name)';",
      "UPDATE sqlite_schema SET sql = sql || replace(hex(zeroblob(2000000)), '00', ' ') WHERE name = '\(name)';",
      "UPDATE sqlite_schema SET sql = replace(sql, ' WITHOUT ROWID', '') WHERE name = '\(name)';",
      "UPDATE sqlite_schema SET sql = replace(sql, ' INTEGER', ' TEXT') WHERE name = '\(name)';",
      "UPDATE sqlite_schema SET type = 'view' WHERE name = '\(name)';",
      "UPDATE sqlite_schema SET type = 'x' WHERE name = '\(name)';",
      "UPDATE sqlite_schema SET name = 'x', tbl_name = 'x' WHERE name = '\(name)';",
      "UPDATE sqlite_schema SET tbl_name = 'x' WHERE name = '\(name)';",
      "INSERT INTO sqlite_schema SELECT type, name, tbl_name, rootpage, sql FROM sqlite_schema;",
      "INSERT INTO sqlite_schema VALUES('table', 'sqlite_stat1', 'sqlite_stat1', 3, 'CREATE TABLE sqlite_stat1(tbl,idx,stat)');",
      "INSERT INTO sqlite_schema VALUES('table', 'sqlite_stat4', 'sqlite_stat4', 4, 'CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)');",
      "INSERT INTO sqlite_schema VALUES('trigger', 'sqlite_statx', 'entry', 0, 'CREATE TRIGGER sqlite_statx AFTER INSERT ON entry BEGIN DELETE FROM entry; END');",
      "DELETE FROM sqlite_schema WHERE name = '\(name)';", "DELETE FROM sqlite_schema;",
      "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r LIMIT 20000) INSERT INTO sqlite_schema SELECT 'view', 'v' || n, 'v' || n, 0, 'CREATE VIEW v' || n || ' AS SELECT 1' FROM r;")
    return "PRAGMA writable_schema=on; \(change)"
  }

  private static func settings(_ chance: inout Chance) -> String {
    chance.pick(
      "PRAGMA user_version=\(chance.pick("0", "1", "2", "5", "-1", "2147483647"));",
      "PRAGMA application_id=\(chance.pick("0", "1", "-1", "1179011410"));",
      "PRAGMA journal_mode=delete; PRAGMA page_size=\(chance.pick("512", "1024", "8192", "65536")); VACUUM;",
      "PRAGMA journal_mode=delete; PRAGMA auto_vacuum=\(chance.pick("1", "2")); VACUUM;",
      "PRAGMA journal_mode=\(chance.pick("delete", "truncate", "persist", "memory", "off"));",
      "PRAGMA wal_checkpoint(truncate);", "PRAGMA schema_version=\(chance.below(1_000));",
      "PRAGMA journal_mode=delete; VACUUM; PRAGMA journal_mode=wal;",
      "PRAGMA writable_schema=on; DELETE FROM sqlite_schema; VACUUM; PRAGMA encoding='UTF-16le'; CREATE TABLE x(y);",
      "PRAGMA default_cache_size=\(chance.pick("1", "-1", "2147483647"));",
      "PRAGMA wal_autocheckpoint=1; UPDATE journal SET commits = commits;")
  }
}
