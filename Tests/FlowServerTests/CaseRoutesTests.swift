#if Server
  import FlowCases
  import FlowHosting
  import FlowKernel
  import Foundation
  import HTTPTesting
  import LuaRuntime
  import Testing

  @testable import FlowServer

  @Suite struct CaseRoutesTests {
    @Test("each result of a dispatch has its status code")
    func eachEndOf() async throws {
      try await ServedFlow.serve { served async throws in
        #expect(try await served.status("POST", "/cases/a") == 201)
        #expect(try await served.status("POST", "/cases/a") == 409)
        #expect(try await served.status("POST", "/cases/b", "{\"given\":{\"cents\":0}}") == 422)
        #expect(try await served.status("POST", "/cases/b", "{\"gives\":{}}") == 400)
        let place = "/cases/a/actions/place"
        let faults = try await served.request("POST", place, "{\"cents\":0,\"word\":\"X\",\"z\":1}")
        #expect(ServedFlow.status(faults) == 422)
        #expect(
          faults.contains("cents must be") && faults.contains("word must be")
            && faults.contains("z is not"))
        #expect(try await served.status("POST", place, "{\"cents\":1}") == 200)
        let refused = try await served.request("POST", place, "{\"cents\":1}")
        #expect(ServedFlow.status(refused) == 409)
        #expect(
          refused.contains("\"who\":\"machine order\"") && refused.contains("\"place\":\"shop.lua:")
        )
        #expect(try await served.status("POST", "/cases/a/actions/break_", "{}") == 500)
        #expect(try await served.status("POST", "/cases/a/actions/loop", "{}") == 500)
        #expect(
          try await served.request("POST", "/cases/a/actions/plaze", "{}").contains(
            "did you mean place?"))
        #expect(try await served.status("POST", "/cases/a/actions/plaze", "{}") == 404)
        #expect(
          try await served.request("GET", "/cases/a/views/statuz").contains("did you mean status?"))
        #expect(try await served.status("POST", "/cases/order-1") == 201)
        let unknown = try await served.request("POST", "/cases/order-2/actions/pay", "{}")
        #expect(ServedFlow.status(unknown) == 404 && unknown.contains("did you mean order-1?"))
        #expect(try await served.status("PUT", "/cases/a") == 405)
        #expect(try await served.request("POST", "/cases").contains("Allow: GET, HEAD"))
        #expect(try await served.status("POST", "/cases/a%00b") == 400)
        #expect(try await served.status("POST", "/cases/a%00%CC%81b") == 400)
        #expect(try await served.status("POST", "/cases/c", "{\"given\":{\"none\":null}}") == 422)
        for list in ["[1,null]", "[[null]]", "{\"a\":[null]}"] {
          let given = "{\"given\":{\"word\":\(list)}}"
          #expect(
            try await served.request("POST", "/cases/c", given).contains("] is null"), "\(list)")
        }
        // The flow itself can refuse a value that fits its type.
        let unlucky = try await served.request(
          "POST", "/cases/c", "{\"given\":{\"word\":\"thirteen\"}}")
        #expect(ServedFlow.status(unlucky) == 409 && unlucky.contains("thirteen is no luck"))
        #expect(try await served.status("POST", "/cases/a/end") == 200)
        #expect(try await served.status("POST", "/cases/a/actions/pay", "{}") == 409)
        #expect(try await served.status("GET", "/openapi.json", token: nil) == 200)
        #expect(try await served.status("GET", "/health/live", token: nil) == 200)
        #expect(try await served.status("GET", "/metrics") == 200)
      }
    }

    @Test("an action with an idempotency key is executed once")
    func aKeyHas() async throws {
      try await ServedFlow.serve { served async throws in
        _ = try await served.cases.create("a")
        let key = ["Idempotency-Key: \"k-1\""]
        for _ in 0..<2 {
          let answer = try await served.request(
            "POST", "/cases/a/actions/place", "{\"cents\":1}", headers: key)
          #expect(answer.contains("\"revision\":1"))
        }
        #expect(
          try await served.status("POST", "/cases/a/actions/place", "{\"cents\":2}", headers: key)
            == 409)
      }
    }

    @Test("creating and ending a case with a repeated key returns the first response")
    func keysOfCreation() async throws {
      try await ServedFlow.serve { served async throws in
        func post(_ path: String, _ body: String?, _ key: String) async throws -> String {
          try await served.request("POST", path, body, headers: ["Idempotency-Key: \(key)"])
        }
        for _ in 0..<2 {
          let created = try await post("/cases/a", "{\"given\":{\"cents\":1}}", "c")
          #expect(ServedFlow.status(created) == 201 && created.contains("Location: /cases/a"))
        }
        let other = try await post("/cases/a", "{\"given\":{\"cents\":2}}", "c")
        #expect(ServedFlow.status(other) == 409 && other.contains("use a new key for each request"))
        #expect(ServedFlow.status(try await post("/cases/a", nil, "d")) == 409)
        #expect(ServedFlow.status(try await post("/cases/a/end", nil, "c")) == 409)
        for _ in 0..<2 {
          let ended = try await post("/cases/a/end", nil, "e")
          #expect(ServedFlow.status(ended) == 200 && ended.contains("\"ended\":true"))
        }
        #expect(ServedFlow.status(try await post("/cases/a/end", nil, "f")) == 409)
      }
    }

    @Test("a list by state knows the machines and their states, and suggests the nearest name")
    func listsByState() async throws {
      try await ServedFlow.serve { served async throws in
        _ = try await served.cases.create("a")
        let found = try await served.request("GET", "/cases?in=order.empty")
        #expect(ServedFlow.status(found) == 200 && found.contains("\"id\":\"a\""))
        let state = try await served.request("GET", "/cases?in=order.opne")
        #expect(ServedFlow.status(state) == 404 && state.contains("did you mean open?"))
        let machine = try await served.request("GET", "/cases?in=ordre.open")
        #expect(ServedFlow.status(machine) == 404 && machine.contains("did you mean order?"))
        // A point with an accent behind it is a point.
        #expect(try await served.status("GET", "/cases?in=order%2E%CC%81x") == 404)
        #expect(try await served.status("GET", "/cases?in=order") == 400)
      }
    }

    @Test("an effect that waits for a task shows the task's number, queue and state")
    func taskOfAnEffect() async throws {
      try await ServedTasks.serve { served async throws in
        try await served.cases.create("a").dispatch("mail", ["text": "hello"])
        func effects() async throws -> ServedTasks.Answer {
          try await served.ask("GET", "/cases/a/effects", token: ServedTasks.reader)
        }
        let before = try await effects()
        let task = before.body["effects"]?[0]?["waits_for"]?[0]?["task"]
        #expect(task?["queue"] == "mails" && task?["state"] == "ready" && task?["attempt"] == 0)
        let claimed = try await served.claim("mails")
        #expect(task?["id"] == .string(claimed.id))
        let after = try await effects()
        #expect(after.body["effects"]?[0]?["waits_for"]?[0]?["task"]?["state"] == "leased")
        // Whoever may only read is shown neither arguments nor tokens.
        #expect(!after.text.contains("hello") && !after.text.contains(claimed.token))
      }
    }

    @Test("an unknown query parameter is an error with the nearest name")
    func unknownParameters() async throws {
      try await ServedFlow.serve { served async throws in
        _ = try await served.cases.create("a")
        let near = try await served.request("GET", "/cases?limt=1")
        #expect(ServedFlow.status(near) == 400 && near.contains("did you mean limit?"))
        for path in [
          "/cases/a", "/cases/a/state", "/cases/a/views/status", "/cases/a/views/status/events",
          "/cases/a/entries", "/cases/a/events", "/health/live", "/metrics", "/openapi.json",
        ] {
          #expect(try await served.status("GET", "\(path)?nothing") == 400, "\(path)")
        }
        #expect(try await served.status("POST", "/cases/b?given=1") == 400)
        #expect(try await served.status("GET", "/cases?") == 200)
      }
    }

    @Test("an idempotency key is a token or a quoted string")
    func aKeyIs() async throws {
      #expect(try IdempotencyKey.read(nil) == nil)
      #expect(try IdempotencyKey.read("k-1") == "k-1")
      #expect(try IdempotencyKey.read("\"k 1\"") == "k 1")
      for wrong in [
        "", "\"\"", "\"", "k 1", "\"k", "k\"k", "é", String(repeating: "k", count: 1_025),
      ] {
        #expect(throws: Problem.self, "\(wrong)") { try IdempotencyKey.read(wrong) }
      }
    }

    @Test("entry numbers out of range are handled without a crash")
    func numbersBeyondThose() async throws {
      try await ServedFlow.serve { served async throws in
        _ = try await served.cases.create("a")
        let most = "9223372036854775807"
        #expect(try await served.status("GET", "/cases/a/entries?from=\(most)") == 400)
        let told = try await served.request(
          "GET", "/cases/a/events", headers: ["Last-Event-ID: \(most)"], until: "id: 1\n")
        #expect(told.contains("id: 1\n"))
      }
    }

    @Test("an integer out of the 64-bit range is rejected")
    func anIntegerThat() async throws {
      try await ServedFlow.serve { served async throws in
        _ = try await served.cases.create("a")
        for number in ["-9223372036854775809", "9223372036854775808", "1e300"] {
          let body = "{\"cents\":1,\"far\":\(number)}"
          #expect(try await served.status("POST", "/cases/a/may/place", body) == 422, "\(number)")
        }
        let least = "{\"cents\":1,\"far\":-9223372036854775808}"
        #expect(try await served.status("POST", "/cases/a/may/place", least) == 200)
      }
    }

    @Test("a query string is decoded once")
    func whatStandsBehind() async throws {
      try await ServedFlow.serve { served async throws in
        for id in ["a", "b c", "b+c", "b%2Bc", "d"] { _ = try await served.cases.create(id) }
        func after(_ text: String) async throws -> Int {
          try await served.request("GET", "/cases?after=\(text)")
            .components(separatedBy: "\"id\":").count - 1
        }
        #expect(try await after("b+c") == 3)
        #expect(try await after("b%2Bc") == 1)
        #expect(try await after("b%252Bc") == 2)
        #expect(try await after("") == 5)
        #expect(try await served.status("GET", "/cases?after=%ff") == 400)
      }
    }

    @Test("a journal failure is a 503 with a Retry-After header")
    func aJournalThat() async throws {
      let journal = MemoryJournal()
      try await ServedFlow.serve(journal: journal) { served async throws in
        _ = try await served.cases.create("a")
        try journal.close()
        let answer = try await served.request("POST", "/cases/a/actions/place", "{\"cents\":1}")
        #expect(ServedFlow.status(answer) == 503)
        #expect(answer.contains("Retry-After: 1"))
        #expect(try await served.status("GET", "/health/ready") == 503)
      }
    }

    @Test("a case of a later version of the flow is a 503 with a Retry-After header")
    func laterVersion() async throws {
      let journal = MemoryJournal()
      let later = try await Cases(
        of: LoadedFlow(source: "version(2)\n" + ServedFlow.source, name: "shop.lua"), in: journal)
      try await later.create("a")
      try await later.close()
      try await ServedFlow.serve(journal: journal) { served async throws in
        for (method, path) in [("GET", "/cases/a/state"), ("POST", "/cases/a/actions/pay")] {
          let answer = try await served.request(method, path, method == "POST" ? "{}" : nil)
          #expect(ServedFlow.status(answer) == 503, "\(answer)")
          #expect(
            answer.contains("Retry-After: 1")
              && answer.contains("was written by version 2 of shop.lua"))
        }
      }
    }

    @Test("secrets are masked")
    func secretsAreDots() async throws {
      try await ServedFlow.serve { served async throws in
        _ = try await served.cases.create("a")
        #expect(
          try await served.status("POST", "/cases/a/actions/tell", "{\"pin\":\"geheim\"}") == 200)
        for path in ["/cases/a/state", "/cases/a/entries", "/cases"] {
          let answer = try await served.request("GET", path)
          #expect(ServedFlow.status(answer) == 200)
          #expect(!answer.contains("geheim"))
        }
      }
    }

    @Test("effects are listed with what they wait for and since when, and why others failed")
    func effectsAreTold() async throws {
      try await ServedFlow.serve { served async throws in
        _ = try await served.cases.create("a")
        for action in ["nap", "stumble"] { _ = try await served.cases["a"].dispatch(action) }
        let answer = try await served.request("GET", "/cases/a/effects")
        for part in [
          "\"effect\":\"effect.nap\"", "\"status\":\"sleeping\"", "\"since_wall\":", "\"until\":",
          "\"effect\":\"effect.stumble\"", "\"reason\":\"shop.lua:22: no luck",
          "\"action\":\"stumble\"",
          "\"seq\":3",
        ] { #expect(answer.contains(part), "\(part)") }
        #expect(!(try await served.request("GET", "/cases/a/effects?failed=0")).contains("stumble"))
        #expect(try await served.status("GET", "/cases/b/effects") == 404)
        let entries = try await served.request("GET", "/cases/a/entries")
        #expect(entries.contains("\"effects_began\":[") && entries.contains("\"effects_failed\":["))
      }
    }

    @Test("an entry says how many rejected dispatches it has no space for")
    func droppedRejections() async throws {
      let journal = MemoryJournal()
      let flow = try LoadedFlow(source: ServedFlow.source, name: "shop.lua")
      let host = try FlowHost(
        flow, journal: journal, case: "a",
        options: HostOptions(clock: .virtual, keepsRefusals: true, report: { _ in }))
      try await host.dispatch(batch: Array(repeating: (action: "pay", payload: [:]), count: 1_002))
      try await host.dispatch("pay")
      try await host.stop()
      try await ServedFlow.serve(journal: journal) { served async throws in
        let cut = try await served.request("GET", "/cases/a/entries?from=2&limit=1")
        #expect(cut.contains("\"refused_dropped\":2,"))
        let whole = try await served.request("GET", "/cases/a/entries?from=3")
        #expect(whole.contains("\"refused\":[{") && !whole.contains("refused_dropped"))
      }
    }

    @Test("entries are streamed as events after the last one received")
    func entriesComeAs() async throws {
      try await ServedFlow.serve { served async throws in
        _ = try await served.cases.create("a")
        _ = try await served.cases["a"].dispatch("place", ["cents": 1])
        let all = try await served.request("GET", "/cases/a/events", until: "id: 2\n")
        #expect(all.contains("id: 1\n") && all.contains("id: 2\n"))
        let rest = try await served.request(
          "GET", "/cases/a/events", headers: ["Last-Event-ID: 1"], until: "id: 2\n")
        #expect(!rest.contains("id: 1\n") && rest.contains("id: 2\n"))
      }
    }

    @Test("a view is streamed when it changes")
    func aViewIs() async throws {
      try await ServedFlow.serve { served async throws in
        _ = try await served.cases.create("a")
        async let told = served.request("GET", "/cases/a/views/status/events", until: "\"open\"")
        while served.service.streams.count == 0 { try await Task.sleep(for: .milliseconds(2)) }
        _ = try await served.cases["a"].dispatch("place", ["cents": 1])
        #expect(try await told.contains("\"open\""))
      }
    }
  }
#endif
