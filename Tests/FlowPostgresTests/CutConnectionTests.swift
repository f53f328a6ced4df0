#if PostgreSQL
  import FlowCases
  import FlowHosting
  import FlowKernel
  import JournalRows
  import Platform
  import Testing

  @testable import FlowPostgres

  /// Requests whose connection is cut after the server has executed them, and before it has answered.
  @Suite(
    .enabled(
      if: Server.url != nil,
      "MOONLATCH_POSTGRES names no server: \"scripts/postgres with COMMAND\" starts one"))
  struct CutConnectionTests {
    private let schema = Server.schema()
    private let gate: CutGate

    init() throws { gate = try #require(CutGate(to: Server.url ?? "")) }

    private func store(patience: Int = PostgresConnection.patience) throws -> PostgresJournal {
      let store = try PostgresJournal(
        place: PostgresPlace(gate.url, schema: schema), shards: 256, keys: KeyAge(KeyAge.week),
        tellsOthers: false, patience: patience)
      _ = try store.keep(JournaledFlow(name: "a.lua", hash: "1", version: 1, texts: []))
      return store
    }

    @Test("an answer is received exactly once if the connection is cut while it is taken")
    func takesAnswer() throws {
      let store = try store()
      for tag in ["DELETE 1", "SELECT 1"] {
        let dispatch = InboxDispatch(id: "a", key: tag, request: [1])
        try store.dispatch(dispatch)
        let taken = try store.dispatches(in: Set(0..<256), limit: 9, by: "n")
        try store.answer(#require(taken.first), with: [7])
        gate.cutNext(tag)
        #expect(try store.takeAnswer(to: dispatch) == [7])
        #expect(gate.hasCut)
        #expect(try store.takeAnswer(to: dispatch) == nil)
      }
    }

    @Test("a dispatch and an answer are stored once if the connection is cut")
    func dispatches() throws {
      let store = try store()
      let (dispatch, shard) = (InboxDispatch(id: "a", key: "k", request: [1]), Set(0..<256))
      gate.cutNext("INSERT 0 1")
      try store.dispatch(dispatch)
      let taken = try store.dispatches(in: shard, limit: 9, by: "n")
      #expect(gate.hasCut && taken.count == 1)
      gate.cutNext("UPDATE 1")
      try store.answer(#require(taken.first), with: [7])
      #expect(try gate.hasCut && store.dispatches(in: shard, limit: 9, by: "n") == [])
      #expect(try store.takeAnswer(to: dispatch) == [7])
    }

    @Test(
      "an append and a creation are reported as stored if the connection is cut after the commit")
    func appends() throws {
      let store = try store()
      for seq in 1...4 {
        // All that the function `append` gives is this.
        gate.cutNext("SELECT 1")
        #expect(store.add(.trial(seq)) == nil)
        #expect(gate.hasCut)
      }
      #expect(try store.entries(of: "a", from: 1, limit: 9).map(\.seq) == [1, 2, 3, 4])
    }

    @Test(
      "a task is opened once and answered once if the connection is cut after the commits")
    func tasks() throws {
      let store = try store()
      #expect(store.add(.trial(1)) == nil)
      let task = OpenTask(
        call: "j/a/e1/1", tryNumber: 1, effect: 1, position: "1", scope: "root", name: "mail",
        arguments: [:], kind: .worker, queue: "mail", isOnce: false, opened: 1_000_000,
        deadline: nil)
      gate.cutNext("COMMIT")
      #expect(
        store.add(
          JournalEntry(
            seq: 2, flow: 1, wall: 1_000_002, body: [1], revision: 2,
            tasks: TaskChanges(opened: [task]))) == nil)
      #expect(gate.hasCut)
      let claim = TaskClaim(queues: ["mail"], most: 9, worker: "one")
      let claimed = try store.withTasks(at: 0) { (table) throws(JournalError) in
        try table.claim(claim)
      }
      let row = try #require(claimed.first)
      #expect(claimed.count == 1 && row.task == task)
      gate.cutNext("COMMIT")
      let reply = try store.withTasks(at: 0) { (table) throws(JournalError) in
        try table.answer(row.id, token: row.token, with: .answer(7))
      }
      guard case .done(let answered) = reply else {
        Issue.record("\(reply)")
        return
      }
      #expect(gate.hasCut && answered.outcome == .answer(7))
    }

    @Test("a case is activated under a new fence if the connection is cut after the commit")
    func activates() throws {
      let store = try store()
      #expect(store.add(.trial(1)) == nil)
      gate.cutNext("COMMIT")
      let fence = try #require(try store.activate("a")).fence
      #expect(gate.hasCut && fence > 1)
      #expect(store.add(.trial(2), fence: fence) == nil)
    }

    @Test(
      "an activation waits for a pending append up to its limit, and then fails with the reason")
    func boundedWait() throws {
      let store = try store(patience: 20)
      #expect(store.add(.trial(1)) == nil)
      let other = try PostgresSchema.open(
        PostgresPlace(Server.url ?? "", schema: schema), shards: 256)
      try other.script("BEGIN; LOCK TABLE entry")
      let outcome = Monitor<JournalError??>(nil)
      store.append([.trial(2)], to: "a", fence: 1) { error in
        outcome.with(waking: true) { $0 = .some(error) }
      }
      let error = #expect(throws: JournalError.self) { try store.activate("a") }
      #expect(error?.description.contains("may still be on their way") == true)
      try other.script("ROLLBACK")
      #expect(outcome.wait { $0 } == .some(nil))
      #expect(try store.activate("a")?.entries.count == 2)
    }

    @Test(
      "a case is activated under a new fence though the server has an older one, as from a backup")
    func setBack() throws {
      let store = try store()
      #expect(store.add(.trial(1)) == nil)
      for _ in 1...3 { _ = try store.activate("a") }
      let other = try PostgresSchema.open(
        PostgresPlace(Server.url ?? "", schema: schema), shards: 256)
      var row = try #require(try CaseRow.read("a", on: other))
      row.fence = 1
      try row.update(on: other)
      let fence = try #require(try store.activate("a")).fence
      #expect(fence == 5)
      #expect(store.add(.trial(2), fence: fence) == nil)
    }
  }

  /// Stands between a store and its server, and cuts a connection in place of handing on a certain answer.
  final class CutGate: Sendable {
    private struct State {
      var tag: [UInt8]?
      var isOver = false
    }

    /// The server's URL, by way of this.
    let url: String
    private let state = Monitor(State())
    private let listening: Int32

    /// - Parameter server: a URL with a host in numbers and a port.
    init?(to server: String) {
      guard let found = server.firstMatch(of: /@127\.0\.0\.1:([0-9]+)\//),
        let port = UInt16(found.1)
      else { return nil }
      let listening = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      self.listening = listening
      var address = CutGate.address(0)
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      let own = withUnsafeMutablePointer(to: &address) { pointer -> UInt16 in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
          _ = bind(listening, name, size)
          _ = listen(listening, 64)
          _ = getsockname(listening, name, &size)
        }
        return UInt16(bigEndian: pointer.pointee.sin_port)
      }
      url = server.replacing("@127.0.0.1:\(port)/", with: "@127.0.0.1:\(own)/")
      let state = state
      let started = SystemThread.start {
        while case let client = accept(listening, nil, nil), client >= 0 {
          let started = SystemThread.start { CutGate.carry(client, port, state) }
          if !started { close(client) }
        }
      }
      if !started { return nil }
    }

    deinit {
      shutdown(listening, Int32(SHUT_RDWR))
      close(listening)
    }

    /// The next answer in which this stands is lost, with its connection.
    func cutNext(_ tag: String) { state.with { $0.tag = Array(tag.utf8) + [0] } }

    var hasCut: Bool { state.with { $0.tag == nil } }

    private static func address(_ port: UInt16) -> sockaddr_in {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
      return address
    }

    private static func carry(_ client: Int32, _ port: UInt16, _ state: Monitor<State>) {
      let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      defer {
        close(client)
        close(server)
      }
      var address = address(port)
      let connected = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      guard connected == 0 else { return }
      var bytes = [UInt8](repeating: 0, count: 1 << 16)
      while true {
        var ends = [client, server].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        guard poll(&ends, 2, -1) > 0 || errno == EINTR else { return }
        for (from, to) in [(0, server), (1, client)] where ends[from].revents != 0 {
          let count = read(ends[from].fd, &bytes, bytes.count)
          guard count > 0 else { return }
          let isLost =
            from == 1
            && state.with { state in
              guard let tag = state.tag, bytes[..<count].firstRange(of: tag) != nil else {
                return false
              }
              state.tag = nil
              return true
            }
          if isLost { return }
          var sent = 0
          while sent < count {
            let part = bytes[sent..<count].withUnsafeBytes {
              send(to, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard part > 0 else { return }
            sent += part
          }
        }
      }
    }
  }
#endif
