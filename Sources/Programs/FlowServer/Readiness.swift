#if Server
  import FlowCases
  import Hummingbird
  import LuaRuntime

  /// The readiness of a server, with counts of the cases that cannot go on.
  struct Readiness {
    /// Why nothing can be done, if so.
    var why: String?
    /// Counts of cases by what is wrong with them.
    var cases: [String: Int]
    /// The cases of earlier texts that the flow could not take over at the start, by text.
    let unfit: [UnfitCases]

    /// Looks at the journal, and at what requests came to.
    ///
    /// Cases that cannot go on keep no other from being served: they are counted, and the server is ready.
    init(
      of cases: Cases, _ probe: JournalProbe, _ faults: CaseFaults, unfit: [UnfitCases] = []
    ) async {
      self.unfit = unfit
      let counts = faults.counts
      self.cases = [
        "stuck": cases.troubled.count, "damaged": counts.damaged, "unfit": counts.unfit,
      ]
      why = await probe.problem()
      if why == nil, faults.isFull { why = "the journal has no space left: nothing can be kept" }
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
