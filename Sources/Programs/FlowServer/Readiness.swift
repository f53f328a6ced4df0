#if Server
  import FlowCases
  import Hummingbird
  import LuaRuntime

  /// The readiness of a server, with counts of the cases that cannot proceed.
  struct Readiness {
    /// The reason why the server is not ready; nil if it is.
    var why: String?
    /// The counts of faulty cases, by kind of fault.
    var cases: [String: Int]
    /// The cases of earlier texts that the flow could not take over at the start, grouped by text.
    let unfit: [UnfitCases]

    /// Reads the state of the journal and the faults of recent requests.
    ///
    /// A case that cannot proceed does not keep others from being served: it is counted, and the server is ready.
    init(
      of cases: Cases, _ probe: JournalProbe, _ faults: CaseFaults, unfit: [UnfitCases] = []
    ) async {
      self.unfit = unfit
      let counts = faults.counts
      self.cases = [
        "stuck": cases.troubled.count, "damaged": counts.damaged, "unfit": counts.unfit,
      ]
      why = await probe.problem()
      if why == nil, faults.isFull { why = "the journal has no space left: nothing can be stored" }
    }

    var response: Response {
      var fields: [String: Value] = [
        "ready": .boolean(why == nil), "cases": .record(cases.mapValues { .integer($0) }),
      ]
      if !unfit.isEmpty { fields["unfit"] = .list(unfit.map(CaseTexts.json)) }
      if let why { fields["why"] = .string(why) }
      return .json(.record(fields), status: why == nil ? .ok : .serviceUnavailable)
    }
  }
#endif
