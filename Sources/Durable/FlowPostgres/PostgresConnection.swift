#if PostgreSQL
  import CPQ
  import FlowKernel
  import JournalRows
  import Platform

  /// A connection to a server with its prepared statements, for one thread at a time.
  ///
  /// Texts are bound and stored as bytes, so that any text can be stored, in the order of its bytes. No wait
  /// is longer than `patience`.
  final class PostgresConnection: SQLConnection {
    let place: PostgresPlace
    private var link: OpaquePointer?
    private var statements: [String: String] = [:]
    private(set) var changes = 0
    /// True if the connection was cut: it must not be used again, and it is unknown whether the last
    /// statement was executed.
    private(set) var isBroken = false
    /// True if the statement that failed last may succeed when it is repeated.
    private(set) var isWorthAnother = false

    /// The longest time to wait for an answer of the server, in milliseconds.
    static let patience = 60_000
    private static let connectPatience = 10_000

    var path: String { place.name }
    let rowLock = " FOR UPDATE"
    let freeRowLock = " FOR UPDATE SKIP LOCKED"
    let failsAsWhole = true

    init(_ place: PostgresPlace) throws(JournalError) {
      self.place = place
      link = Self.start(place)
      try connect()
      if PQsetnonblocking(link, 1) != 0 { throw failure("connecting") }
      _ = PQsetNoticeProcessor(link, { _, _ in }, nil)
    }

    /// Keeps OpenSSL, which libpq uses, from freeing its memory when the process exits: threads of journals
    /// may be using it then. (OPENSSL_init_crypto(3), OPENSSL_INIT_NO_ATEXIT)
    private static let keepsOpenSSL: Void = {
      #if os(Linux)
        typealias Initialize = @convention(c) (UInt64, OpaquePointer?) -> Int32
        guard let found = dlsym(nil, "OPENSSL_init_crypto") else { return }
        _ = unsafeBitCast(found, to: Initialize.self)(0x0008_0000, nil)
      #endif
    }()

    private static func start(_ place: PostgresPlace) -> OpaquePointer? {
      _ = keepsOpenSSL
      let options = [
        ("dbname", place.url), ("client_encoding", "UTF8"), ("application_name", "moonlatch"),
        ("keepalives_idle", "15"), ("keepalives_interval", "5"), ("keepalives_count", "3"),
        ("tcp_user_timeout", "30000"),
      ]
      // The URL takes precedence over the other options: it is expanded in its place, and the last value counts.
      let ordered = options.dropFirst() + options.prefix(1)
      var names = ordered.map { strdup($0.0) }
      var values = ordered.map { strdup($0.1) }
      defer { for text in names + values { free(text) } }
      names.append(nil)
      values.append(nil)
      return names.map { UnsafePointer($0) }.withUnsafeBufferPointer { names in
        values.map { UnsafePointer($0) }.withUnsafeBufferPointer { values in
          PQconnectStartParams(names.baseAddress, values.baseAddress, 1)
        }
      }
    }

    private func connect() throws(JournalError) {
      let end = Self.now + Self.connectPatience
      var wanted = PGRES_POLLING_WRITING
      while PQstatus(link) != CONNECTION_BAD {
        if wanted == PGRES_POLLING_OK { return }
        if wanted == PGRES_POLLING_FAILED { break }
        try wait(wanted == PGRES_POLLING_READING ? POLLIN : POLLOUT, until: end)
        wanted = PQconnectPoll(link)
      }
      throw failure("connecting")
    }

    deinit { close() }

    func close() {
      if let link { PQfinish(link) }
      link = nil
    }

    // MARK: Statements

    func each(
      _ sql: String, _ fields: [Field], _ read: (any SQLRow) throws(JournalError) -> Void
    ) throws(JournalError) {
      try each(sql, fields.map(PostgresValue.init), read)
    }

    func each(
      _ sql: String, _ values: [PostgresValue], _ read: (any SQLRow) throws(JournalError) -> Void
    ) throws(JournalError) {
      let name = try prepared(sql, values)
      guard PostgresValue.send(values, to: link, statement: name), PQsetSingleRowMode(link) == 1
      else { throw failure("asking it") }
      try results(read)
    }

    /// Runs statements without reading a result.
    func script(_ sql: String) throws(JournalError) {
      guard PQsendQuery(link, sql) == 1 else { throw failure("asking it") }
      try results { (_) throws(JournalError) in }
    }

    private func prepared(_ sql: String, _ values: [PostgresValue]) throws(JournalError) -> String {
      if let name = statements[sql] { return name }
      let name = "s\(statements.count)"
      let sent = values.map(\.type).withUnsafeBufferPointer {
        PQsendPrepare(link, name, Self.numbered(sql), Int32($0.count), $0.baseAddress)
      }
      guard sent == 1 else { throw failure("asking it") }
      try results { (_) throws(JournalError) in }
      statements[sql] = name
      return name
    }

    /// Returns a statement with `$1` for the first `?`, and for `?1`.
    private static func numbered(_ sql: String) -> String {
      var (text, count, isBehind) = ("", 0, false)
      for character in sql {
        if isBehind && !character.isNumber {
          count += 1
          text += "\(count)"
        }
        isBehind = character == "?"
        text.append(isBehind ? "$" : character)
      }
      return isBehind ? text + "\(count + 1)" : text
    }

    /// Reads all results of a statement, to the end even if `read` fails.
    private func results(
      _ read: (any SQLRow) throws(JournalError) -> Void
    ) throws(JournalError) {
      var failed: JournalError?
      try flush()
      while let result = try next() {
        defer { PQclear(result) }
        let status = PQresultStatus(result)
        if status == PGRES_SINGLE_TUPLE {
          guard failed == nil else { continue }
          do throws(JournalError) { try read(PostgresRow(result: result)) } catch {
            failed = error
          }
        } else if status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK {
          changes = PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0
        } else {
          failed = failed ?? failure("using it", result)
        }
      }
      if let failed { throw failed }
      if PQstatus(link) == CONNECTION_BAD { throw failure("using it") }
    }

    private func flush() throws(JournalError) {
      let end = Self.now + Self.patience
      while true {
        let left = PQflush(link)
        if left == 0 { return }
        guard left == 1 else { throw failure("writing to it") }
        try wait(POLLIN | POLLOUT, until: end)
        guard PQconsumeInput(link) == 1 else { throw failure("reading from it") }
      }
    }

    private func next() throws(JournalError) -> OpaquePointer? {
      let end = Self.now + Self.patience
      while PQisBusy(link) != 0 {
        try wait(POLLIN, until: end)
        guard PQconsumeInput(link) == 1 else { throw failure("reading from it") }
      }
      return PQgetResult(link)
    }

    /// Waits for notifications of the server.
    ///
    /// - Returns: the payloads of the channels that are listened to.
    func notifications(milliseconds: Int) throws(JournalError) -> [String] {
      var found = told()
      if !found.isEmpty { return found }
      var descriptor = pollfd(fd: PQsocket(link), events: Int16(POLLIN), revents: 0)
      if poll(&descriptor, 1, Int32(milliseconds)) > 0 {
        guard PQconsumeInput(link) == 1 else { throw failure("reading from it") }
        found = told()
      }
      return found
    }

    private func told() -> [String] {
      var found: [String] = []
      while let notice = PQnotifies(link) {
        found.append(String(cString: notice.pointee.extra))
        PQfreemem(notice)
      }
      return found
    }

    private func wait(_ events: Int32, until end: Int) throws(JournalError) {
      while true {
        let left = end - Self.now
        guard left > 0 else {
          isBroken = true
          throw JournalError(.failed, "\(path): the server does not answer.")
        }
        var descriptor = pollfd(fd: PQsocket(link), events: Int16(events), revents: 0)
        guard descriptor.fd >= 0 else { throw failure("reaching it") }
        let found = poll(&descriptor, 1, Int32(min(left, 1_000)))
        if found > 0 { return }
        if found < 0 && errno != EINTR { throw failure("reaching it") }
      }
    }

    /// The monotonic clock, in milliseconds.
    static var now: Int {
      var time = timespec()
      clock_gettime(CLOCK_MONOTONIC, &time)
      return time.tv_sec * 1_000 + time.tv_nsec / 1_000_000
    }

    // MARK: Transactions

    func reading<T>(_ body: () throws(JournalError) -> T) throws(JournalError) -> T {
      try transaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", body)
    }

    func writing<T>(_ body: () throws(JournalError) -> T) throws(JournalError) -> T {
      try transaction("BEGIN", body)
    }

    /// Runs `body` in a transaction for which other nodes may have to wait.
    ///
    /// If this process is suspended in its midst, the server ends it after a second, so that rows and leases
    /// are not blocked for longer.
    func writingAmongNodes<T>(
      _ body: () throws(JournalError) -> T
    ) throws(JournalError) -> T {
      try transaction("BEGIN; SET LOCAL idle_in_transaction_session_timeout = 1000", body)
    }

    private func transaction<T>(
      _ begin: String, _ body: () throws(JournalError) -> T
    ) throws(JournalError) -> T {
      try script(begin)
      do throws(JournalError) {
        let result = try body()
        // After a failed statement the server answers COMMIT without an error, and stores nothing.
        if PQtransactionStatus(link) == PQTRANS_INERROR {
          throw JournalError(.failed, "\(path): a statement of the transaction failed.")
        }
        try script("COMMIT")
        return result
      } catch {
        let isWorthAnother = isWorthAnother
        if !isBroken { try? script("ROLLBACK") }
        self.isWorthAnother = isWorthAnother
        throw error
      }
    }

    /// Returns the faults of leases; the server checks its pages itself when it reads them.
    func faults(of table: String?) throws(JournalError) -> [String] {
      guard table == nil else { return [] }
      return try PostgresLeases.faults(on: self)
    }

    // MARK: Errors

    /// Makes the journal error for an error of the server, or of the connection to it.
    private func failure(_ doing: String, _ result: OpaquePointer? = nil) -> JournalError {
      let state = result.flatMap { PQresultErrorField($0, 67) }.map { String(cString: $0) } ?? ""
      let primary = result.flatMap { PQresultErrorField($0, 77) }.map { String(cString: $0) }
      let reason = place.plain(
        primary ?? PQerrorMessage(link).map { String(cString: $0) } ?? "out of memory")
      // The server's message that it ends a session may come after the commit; no further result will come.
      let isEnding = state.hasPrefix("57P") || state.hasPrefix("08")
      if PQstatus(link) == CONNECTION_BAD || link == nil || isEnding { isBroken = true }
      isWorthAnother = ["40001", "40P01", "55P03"].contains(state)
      let (kind, advice): (JournalError.Kind, String) =
        switch state {
        case "53100": (.full, ": nothing was stored; free some space, and writing continues")
        case "XX001", "XX002": (.damaged, "")
        case "42501": (.failed, ": this user has no permission")
        default: (.failed, "")
        }
      return JournalError(kind, "\(path): \(doing) failed: \(reason)\(advice).")
    }
  }

  /// The current row of a result, in binary format.
  struct PostgresRow: SQLRow {
    let result: OpaquePointer

    func integer(_ column: Int32) -> Int {
      guard let bytes = PQgetvalue(result, 0, column) else { return 0 }
      let count = Int(PQgetlength(result, 0, column))
      var number = 0
      for index in 0..<min(count, 8) {
        number = number << 8 | Int(UInt8(bitPattern: bytes[index]))
      }
      return count == 4 ? Int(Int32(truncatingIfNeeded: number)) : number
    }

    func isNull(_ column: Int32) -> Bool { PQgetisnull(result, 0, column) == 1 }

    func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

    func bytes(_ column: Int32) -> [UInt8] {
      guard let bytes = PQgetvalue(result, 0, column) else { return [] }
      return Array(
        UnsafeRawBufferPointer(start: bytes, count: Int(PQgetlength(result, 0, column))))
    }
  }
#endif
