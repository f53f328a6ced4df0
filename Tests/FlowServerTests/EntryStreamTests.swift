#if Server
  import FlowJournal
  import Foundation
  import HTTPTesting
  import Testing

  @testable import FlowServer

  @Suite struct EntryStreamTests {
    private func told(
      _ served: ServedFlow, _ lastID: String?, query: String = "", until enough: String
    ) async throws -> String {
      try await served.request(
        "GET", "/cases/a/events\(query)", headers: lastID.map { ["Last-Event-ID: \($0)"] } ?? [],
        until: enough)
    }

    @Test("a listener whose last entry is of another journal gets the state, then new entries")
    func beyondTheEnd() async throws {
      try await ServedFlow.serve { served async throws in
        _ = try await served.cases.create("a")
        _ = try await served.cases["a"].dispatch("tell", ["pin": "geheim"])
        for lastID in ["3", "17", "9223372036854775807", "nothing"] {
          let answer = try await told(served, lastID, until: "event: reset\ndata: {")
          #expect(answer.contains("id: 2\nevent: reset\ndata: {"), "\(lastID)")
          #expect(!answer.contains("event: entry"), "\(lastID)")
        }
        let stream = try RawConnection(port: served.port)
        await stream.send(
          served.bytes(
            "GET", "/cases/a/events", token: served.token, headers: ["Last-Event-ID: 17"]))
        let reset = await stream.receive(until: "}\n\n")
        #expect(reset.contains("\"revision\":1") && reset.contains("\"order\":\"empty\""))
        #expect(!reset.contains("geheim"))
        _ = try await served.cases["a"].dispatch("say", ["word": "later"])
        let next = await stream.receive(until: "}\n\n")
        #expect(next.contains("id: 3\nevent: entry") && next.contains("later"))
        let beyond = try await told(served, nil, query: "?from=9", until: "event: ")
        #expect(beyond.contains("event: reset"))
      }
    }

    @Test("a listener whose next entries exist gets them only")
    func entriesThatAreThere() async throws {
      try await ServedFlow.serve { served async throws in
        _ = try await served.cases.create("a")
        _ = try await served.cases["a"].dispatch("say", ["word": "one"])
        #expect(!(try await told(served, "0", until: "id: 2\n")).contains("reset"))
        #expect(
          !(try await told(served, nil, query: "?from=2", until: "id: 2\n")).contains("reset"))
        // All is known: the next one is waited for.
        let stream = try RawConnection(port: served.port)
        await stream.send(
          served.bytes("GET", "/cases/a/events", token: served.token, headers: ["Last-Event-ID: 2"])
        )
        _ = await stream.receive(until: ":\n\n")
        _ = try await served.cases["a"].dispatch("say", ["word": "two"])
        let next = await stream.receive(until: "event: ")
        #expect(next.contains("id: 3\n") && !next.contains("reset"))
      }
    }

    @Test("a listener from before a compaction gets the state in place of the deleted entries")
    func beforeCompaction() async throws {
      let folder = FileManager.default.temporaryDirectory.appending(
        path: "moonlatch-stream-\(UInt64.random(in: 0 ... .max))")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let journal = try SQLiteJournal(file: folder.appending(path: "a.journal"))
      try await ServedFlow.serve(journal: journal) { served async throws in
        _ = try await served.cases.create("a")
        // Entries go that two snapshots say, and snapshots are kept when the writer has time.
        var (first, last) = (1, 1)
        for number in 1...500 where first <= 2 {
          let word = String(repeating: "\(number % 10)", count: 20_000)
          _ = try await served.cases["a"].dispatch("say", ["word": .string(word)])
          last += 1
          try await Task.sleep(for: .milliseconds(10))
          _ = try journal.compact(keeping: .zero)
          first = try #require(try journal.entries(of: "a", from: 1, limit: 1).first?.seq)
        }
        try #require(first > 2, "compaction has taken nothing")
        let reset = try await told(served, "1", until: "event: ")
        #expect(reset.contains("id: \(last)\nevent: reset"))
        let there = try await told(served, "\(first - 1)", until: "id: \(first)\n")
        #expect(!there.contains("reset"))
        // Nobody asked for what is gone.
        #expect(!(try await told(served, nil, until: "id: \(first)\n")).contains("reset"))
      }
      try journal.close()
    }
  }
#endif
