#if Server
  import FlowCases
  import FlowHosting
  import FlowKernel
  import HTTPTesting
  import JournalTesting
  import Testing

  @testable import FlowServer

  @Suite struct ReadinessTests {
    /// A probe that waits however busy the machine is.
    private func patientProbe(of cases: Cases) -> JournalProbe {
      JournalProbe(of: cases, timeLimit: .seconds(60))
    }

    @Test("a journal without space makes the server not ready")
    func fullJournal() async throws {
      let faults = CaseFaults()
      let flow = try LoadedFlow(source: ServedFlow.source, name: "shop.lua")
      let cases = try await Cases(of: flow, in: MemoryJournal())
      #expect(await Readiness(of: cases, patientProbe(of: cases), faults).why == nil)
      faults.record(JournalError(.full, "no space"), of: "a")
      let readiness = await Readiness(of: cases, patientProbe(of: cases), faults)
      #expect(readiness.why?.contains("no space left") == true)
      #expect(readiness.response.status == .serviceUnavailable)
      try await cases.close()
    }

    @Test("cases that cannot be read or do not fit are counted until they can be loaded")
    func countedCases() async throws {
      let faults = CaseFaults()
      faults.record(JournalError(.damaged, "torn"), of: "a")
      faults.record(JournalError(.unfit, "other"), of: "b")
      faults.record(JournalError(.otherFlow, "other"), of: "c")
      faults.record(JournalError(.keyReused, "key"), of: "d")
      #expect(faults.counts.damaged == 1 && faults.counts.unfit == 2)
      let flow = try LoadedFlow(source: ServedFlow.source, name: "shop.lua")
      let cases = try await Cases(of: flow, in: MemoryJournal())
      let readiness = await Readiness(of: cases, patientProbe(of: cases), faults)
      #expect(readiness.why == nil && readiness.cases == ["stuck": 0, "damaged": 1, "unfit": 2])
      faults.record(nil, of: "a")
      #expect(faults.counts.damaged == 0)
      try await cases.close()
    }

    @Test("an unreadable journal is a 503 with the reason")
    func unreadableJournal() async throws {
      let journal = MemoryJournal()
      try await ServedFlow.serve(journal: journal) { served async throws in
        #expect(
          try await served.request("GET", "/health/ready", token: nil).contains("\"stuck\":0"))
        try journal.close()
        let answer = try await served.request("GET", "/health/ready", token: nil)
        #expect(ServedFlow.status(answer) == 503 && answer.contains("the journal cannot be read"))
        #expect(answer.contains("\"ready\":false"))
      }
    }

    @Test("a blocked journal is a 503, and repeated checks share one call to it")
    func blockedJournal() async throws {
      let journal = BlockedJournal()
      try await ServedFlow.serve({ $0.probeTime = .milliseconds(50) }, journal: journal) {
        served async throws in
        journal.block(.cases)
        for _ in 0..<3 {
          let answer = try await served.request("GET", "/health/ready", token: nil)
          #expect(ServedFlow.status(answer) == 503)
          #expect(answer.contains("the journal has not answered for "))
          #expect(try await served.status("GET", "/health/live") == 200)
        }
        let metrics = try await served.request("GET", "/metrics")
        #expect(metrics.contains("moonlatch_cases_awake 0") && !metrics.contains("cases_asleep"))
        while journal.waiting == 0 { await Task.yield() }
        #expect(journal.waiting == 1)
        journal.release()
        while try await served.status("GET", "/health/ready") != 200 { await Task.yield() }
      }
    }
  }
#endif
