#if Server
  import FlowCases
  import FlowHosting
  import FlowKernel
  import HTTPTesting
  import Testing

  @testable import FlowServer

  @Suite struct ServerMetersTests {
    @Test("metrics have descriptions, and count dispatches by action and outcome")
    func metrics() async throws {
      try await ServedFlow.serve { served async throws in
        _ = try await served.cases.create("a")
        for (action, body) in [
          ("place", "{\"cents\":1}"), ("place", "{\"cents\":1}"), ("break_", "{}"), ("none", "{}"),
        ] {
          _ = try await served.request("POST", "/cases/a/actions/\(action)", body)
        }
        let text = try await served.request("GET", "/metrics")
        for line in [
          "moonlatch_dispatches_total{action=\"place\",outcome=\"passed\"} 1.0",
          "moonlatch_dispatches_total{action=\"place\",outcome=\"refused\"} 1.0",
          "moonlatch_dispatches_total{action=\"break_\",outcome=\"failed\"} 1.0",
          "moonlatch_cases_awake 1.0", "moonlatch_cases_asleep 0.0", "moonlatch_cases_due 0.0",
        ] { #expect(text.contains("\(line)\n"), "\(line)") }
        #expect(!text.contains("action=\"none\"") && !text.contains("moonlatch_leases_held"))
        #expect(text.contains("moonlatch_journal_append_seconds_count"))
        for line in text.split(separator: "\n") where line.hasPrefix("# TYPE ") {
          let name = line.split(separator: " ")[2]
          #expect(text.contains("# HELP \(name) "), "\(name)")
        }
      }
    }

    @Test("metrics count unloaded cases, and effects that run, are retried or failed")
    func effects() async throws {
      let journal = MemoryJournal()
      let flow = try LoadedFlow(source: ServedFlow.source, name: "shop.lua")
      let before = try await Cases(of: flow, in: journal)
      for id in ["a", "b", "c"] { try await before.create(id) }
      try await before.close()
      try await ServedFlow.serve(journal: journal) { served async throws in
        for action in ["nap", "stumble", "insist"] {
          _ = try await served.cases["a"].dispatch(action)
        }
        let text = try await served.request("GET", "/metrics")
        for line in [
          "moonlatch_cases_awake 1.0", "moonlatch_cases_asleep 2.0",
          "moonlatch_effects_running 2.0", "moonlatch_effects_retrying 1.0",
          "moonlatch_effects_failed_total 1.0",
        ] { #expect(text.contains("\(line)\n"), "\(line)") }
      }
    }
  }
#endif
