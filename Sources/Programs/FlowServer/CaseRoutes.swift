import FlowLanguage

#if Server
  import FlowCases
  import FlowHosting
  import FlowKernel
  import HTTPTypes
  import HostFiles
  import Hummingbird
  import LuaRuntime
  import NIOCore
  import Platform

  /// The HTTP routes for the cases of a flow.
  package struct CaseRoutes: Sendable {
    private let cases: Cases
    private let fan: ViewBroadcaster
    private let texts: CaseTexts
    private let service: HTTPService
    private let unfit: [UnfitCases]
    private let faults = CaseFaults()

    /// Mounts all routes of the cases on a service.
    ///
    /// - Parameters:
    ///   - unfit: the cases that the flow could not take over at the start.
    ///   - hostFile: the file that declares webhooks; nil if there is none.
    package static func mount(
      _ cases: Cases, unfit: [UnfitCases] = [], hostFile: HostFileInUse? = nil,
      on service: HTTPService
    ) {
      let routes = CaseRoutes(
        cases: cases, fan: ViewBroadcaster(cases), texts: CaseTexts(cases.flow), service: service,
        unfit: unfit)
      cases.onAppend { [meters = service.meters] time in meters.appended(in: time) }
      routes.mountCases(service.routes)
      routes.mountHealth(service.routes)
      TaskRoutes.mount(cases, on: service)
      HookRoutes.mount(cases, hostFile, on: service)
      ProblemPages.mount(on: service.routes)
    }

    private func mountCases(_ routes: Routes) {
      routes.get("cases", query: ["in", "after", "limit"]) { call in try await list(call) }
      routes.get("cases/:id") { call in
        let id = try call.parameter("id")
        guard let summary = try await cases[id].summary() else { throw try await unknown(id) }
        return call.tagged(
          .json(CaseTexts.json(summary)), EntityTag(summary.revision, String(summary.seq)))
      }
      routes.post("cases/:id", needs: .create) { call in try await create(call) }
      routes.post("cases/:id/end", needs: .end) { call in
        let id = try call.parameter("id")
        _ = try await call.body()
        let (key, revision) = (try call.key(), try call.expectedRevision())
        try await telling(id) { try await cases[id].end(key: key, at: revision) }
        return .json(["id": .string(id), "ended": true])
      }
      routes.post("cases/:id/actions/:action", needs: .anyDispatch) { call in
        try await dispatch(call)
      }
      routes.post("cases/:id/may/:action", needs: .read) { call in try await may(call) }
      routes.get("cases/:id/views/:view") { call in
        let (id, view) = (try call.parameter("id"), try call.parameter("view"))
        let seen = try await telling(id) { try await cases[id].view(view, fresh: false) }
        let text = JSONText.text(seen.value)
        return call.tagged(
          .text(text, as: "application/json"), EntityTag(seen.asOf, SHA256.hexadecimal(of: text)))
      }
      routes.get("cases/:id/views/:view/events") { call in try await listen(call) }
      routes.get("cases/:id/state") { call in
        let id = try call.parameter("id")
        let seen = try await telling(id) { try await cases[id].stateAsOf() }
        return call.tagged(.json(texts.hiding(seen.value)), EntityTag(seen.asOf))
      }
      routes.get("cases/:id/effects", query: ["failed"]) { call in
        let id = try call.parameter("id")
        let most = try call.number("failed", in: 0...1_000) ?? 20
        let effects = try await telling(id) { try await cases[id].effects(failed: most) }
        let tasks = try await cases.openTasks(of: effects.underWay, in: id)
        return .json(CaseTexts.json(effects, tasks))
      }
      routes.get("cases/:id/entries", query: ["from", "limit"]) { call in
        let id = try call.parameter("id")
        guard try await cases[id].summary() != nil else { throw try await unknown(id) }
        let from = try call.number("from", in: Call.seqs) ?? 1
        let limit = try call.number("limit", in: 1...1_000) ?? 100
        let entries = try await cases[id].page(from: from, limit: limit)
        return .json(["entries": .list(try entries.map { try texts.json($0) })])
      }
      routes.get("cases/:id/events", query: ["from"]) { call in
        let id = try call.parameter("id")
        guard try await cases[id].summary() != nil else { throw try await unknown(id) }
        let from = try call.number("from", in: Call.seqs)
        let stream = EntryStream(one: cases[id], texts: texts)
        return call.events { sink in
          try await stream.run(after: call.lastEventID, from: from, to: sink)
        }
      }
    }

    private func mountHealth(_ routes: Routes) {
      let open = routes.at("health", open: true)
      open.get("live") { _ in .json(["live": true]) }
      let probe = JournalProbe(of: cases, timeLimit: service.options.probeTime)
      open.get("ready") { _ in await Readiness(of: cases, probe, faults, unfit: unfit).response }
      routes.get("metrics") { _ in
        .text(
          service.meters.text(
            gauges: await gauges(probe) + TaskMeters.gauges(of: cases),
            counters: [("moonlatch_effects_failed_total", Double(cases.failedEffects))]
              + TaskMeters.counters(of: cases)),
          as: "text/plain; version=0.0.4; charset=utf-8")
      }
      let document = JSONText.text(OpenAPI.document(of: cases.flow))
      routes.at("", open: true).get("openapi.json") { _ in .text(document, as: "application/json") }
    }

    /// Returns the gauges that are read for each response; those of the journal are missing while it does not answer.
    private func gauges(_ probe: JournalProbe) async -> [(name: String, value: Double)] {
      let counts = faults.counts
      var (due, living): (Int?, Int?)
      if await probe.problem() == nil {
        due = try? await cases.due(since: cases.wall, limit: ServerMeters.mostDue).count
        living = (try? await cases.countLiving()) ?? nil
      }
      let awake = cases.active
      let effects = cases.effectCounts
      let found: [(String, Int?)] = [
        ("moonlatch_cases_awake", awake),
        ("moonlatch_cases_asleep", living.map { max(0, $0 - awake) }),
        ("moonlatch_cases_stuck", cases.troubled.count),
        ("moonlatch_cases_damaged", counts.damaged), ("moonlatch_cases_unfit", counts.unfit),
        ("moonlatch_cases_due", due), ("moonlatch_leases_held", cases.leasesHeld),
        ("moonlatch_effects_running", effects.running),
        ("moonlatch_effects_retrying", effects.retrying),
        ("moonlatch_listeners", fan.count), ("moonlatch_streams", service.streams.count),
        ("process_resident_memory_bytes", ProcessMeters.residentMemory),
        ("process_open_fds", ProcessMeters.openDescriptors),
      ]
      return found.compactMap { name, value in value.map { (name, Double($0)) } }
    }

    // MARK: Cases

    private func list(_ call: Call) async throws -> Response {
      let limit = try call.number("limit", in: 1...1_000) ?? 100
      let after = try call.query("after")
      let found: [CaseSummary]
      if let place = try call.query("in") {
        // `order.open` names a machine and one of its states.
        let (machine, state) = try machineState(place)
        found = try await cases.list(machine: machine, in: state, after: after, limit: limit)
      } else {
        found = try await cases.list(after: after, limit: limit)
      }
      return .json(["cases": .list(found.map(CaseTexts.json))])
    }

    /// Returns the machine and the state path that a text such as `order.open` names.
    private func machineState(_ place: String) throws -> (machine: String, state: String) {
      guard let dot = place.utf8.firstIndex(of: UInt8(ascii: ".")), dot > place.startIndex,
        place.utf8.index(after: dot) < place.endIndex
      else {
        throw Problem.badRequest("in must be a machine and one of its states, such as order.open")
      }
      let (name, path) = (
        String(place[..<dot]), String(place[place.utf8.index(after: dot)...])
      )
      let machines = cases.flow.flow.machines
      guard let machine = machines.first(where: { $0.name == name }) else {
        let near = Names.suggestion(for: name, among: machines.map(\.name))
        throw Problem.notFound("there is no machine \(name)\(near)")
      }
      guard machine.statePaths.contains(path) else {
        let near = Names.suggestion(for: path, among: machine.statePaths)
        throw Problem.notFound("machine \(name) has no state \(path)\(near)")
      }
      return (name, path)
    }

    private func create(_ call: Call) async throws -> Response {
      let id = try call.parameter("id")
      let body = try await call.body()
      guard body.isNil || body.recordValue != nil else {
        throw Problem.badRequest("the body must be empty, or an object with the field given")
      }
      for name in (body.recordValue ?? [:]).keys where name != "given" {
        throw Problem.badRequest(
          "the body has no field \(name); its only field is given, a part of the state")
      }
      let given = body["given"] ?? [:]
      guard given.recordValue != nil else {
        throw Problem(.unprocessableContent, "given must be an object: a part of the state")
      }
      if let place = given.nullInList(at: "given") {
        throw Problem(
          .unprocessableContent, "\(place) is null: a list cannot contain null")
      }
      let key = try call.key()
      do {
        try await cases.create(id, given: cases.flow.flow.types.reading(json: given), key: key)
      } catch let failure as DispatchFailure where failure.kind != .limit {
        // The given state is the caller's fault, whether its types or the flow's own functions reject it.
        let isOfFlow = failure.kind == .invariant || failure.script?.place.isEmpty == false
        throw Problem(isOfFlow ? .conflict : .unprocessableContent, failure.message)
      }
      var response = Response.json(["id": .string(id)], status: .created)
      response.headers[.location] = call.request.uri.path
      return response
    }

    private func dispatch(_ call: Call) async throws -> Response {
      let (id, action) = (try call.parameter("id"), try call.parameter("action"))
      try call.expect(.dispatch(action))
      let payload = cases.flow.flow.reading(json: try await call.payload(), of: action)
      let (key, revision) = (try call.key(), try call.expectedRevision())
      let outcome = try await telling(id) {
        try await cases[id].dispatch(action, payload, key: key, by: call.by, at: revision)
      }
      count(outcome, of: action)
      let commit = try outcome.get()
      return .json(["action": .string(action), "revision": .integer(commit.revision)])
    }

    /// Counts a dispatch by action and outcome.
    ///
    /// Undeclared actions are not counted, because a client can invent any number of them.
    private func count(_ outcome: Outcome, of action: String) {
      switch outcome {
      case .passed: service.meters.dispatched(action, "passed")
      case .refused: service.meters.dispatched(action, "refused")
      case .failed(let failure) where failure.kind != .undeclared:
        service.meters.dispatched(action, "failed")
      case .failed: break
      }
    }

    private func may(_ call: Call) async throws -> Response {
      let (id, action) = (try call.parameter("id"), try call.parameter("action"))
      let payload = cases.flow.flow.reading(json: try await call.payload(), of: action)
      switch try await telling(id, { try await cases[id].may(action, payload, by: call.by) }) {
      case .granted: return .json(["may": true])
      case .refused(let refusal):
        return .json([
          "may": false, "who": .string("\(refusal.rejectedBy)"),
          "why": .string(refusal.reason ?? refusal.description),
          "place": .string("\(refusal.place)"),
        ])
      case .failed(let failure): throw failure
      }
    }

    private func listen(_ call: Call) async throws -> Response {
      let (id, view) = (try call.parameter("id"), try call.parameter("view"))
      guard try await cases[id].summary() != nil else { throw try await unknown(id) }
      let names = cases.flow.flow.views.map(\.function.name)
      guard names.contains(view) else {
        throw Problem.notFound(
          "there is no view \(view)\(Names.suggestion(for: view, among: names))")
      }
      let (channel, lastID, streams, fan) = (
        call.context.channel, call.lastEventID, service.streams, fan
      )
      return .events { writer in
        let listener = ViewListener(channel)
        listener.enqueue(ViewBroadcaster.comment)
        let number = streams.add { listener.finish() }
        channel.closeFuture.whenComplete { _ in listener.finish() }
        await fan.tell(id, view, listener, after: lastID)
        streams.remove(number)
        try await writer.finish(nil)
      }
    }

    /// Runs `body` and records faults of the case; the error for an unknown case suggests a similar id.
    private func telling<Answer: Sendable>(
      _ id: String, _ body: () async throws -> Answer
    ) async throws -> Answer {
      do {
        let answer = try await body()
        faults.record(nil, of: id)
        return answer
      } catch let error as JournalError {
        if error.kind == .unknownCase { throw try await unknown(id) }
        faults.record(error, of: id)
        throw error
      }
    }

    private func unknown(_ id: String) async throws -> Problem {
      let known = try await cases.list(limit: 1_000).map(\.id)
      let near = Names.suggestion(for: id, among: known)
      return .notFound("there is no case \"\(id)\": it was never created\(near)")
    }
  }
#endif
