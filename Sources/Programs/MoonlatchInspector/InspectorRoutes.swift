#if Server
  import FlowCases
  import FlowInspector
  import FlowKernel
  import FlowServer
  import HTTPTypes
  import Hummingbird
  import LuaRuntime
  import Platform

  /// The HTTP routes of an inspector: the page and its requests.
  package struct InspectorRoutes: Sendable {
    private let inspection: Inspection

    /// Mounts the inspector below a path; the page itself has no data and needs no token.
    package static func mount(
      _ inspection: Inspection, on service: HTTPService, at path: String = ""
    ) {
      let routes = InspectorRoutes(inspection: inspection)
      service.routes.at(path, open: true).get("") { _ in routes.page() }
      let api = service.routes.at(path.isEmpty ? "api" : "\(path)/api")
      routes.mount(api)
      // The server refuses all changes if it is read-only itself, as it is wherever the inspection is.
      if let tasks = inspection.tasks, service.options.isReadOnly || !inspection.isReadOnly {
        TaskRoutes.mountOperation(of: tasks, below: api, on: service)
      }
    }

    private func page() -> Response {
      let nonce = APITokens.random()
      var response = Response.text(
        InspectorPage.text(nonce: nonce), as: "text/html; charset=utf-8")
      response.headers[.contentSecurityPolicy] = InspectorPage.policy(nonce: nonce)
      return response
    }

    private func mount(_ routes: Routes) {
      routes.get("flow") { _ in .json(try inspection.model()) }
      routes.get("cases", query: InspectorRoutes.filters) { call in try await list(call) }
      routes.get("counts") { _ in
        .json(try await answering { try await inspection.counts(now: InspectorRoutes.now) })
      }
      routes.get("cases/:id") { call in
        .json(try await answering { try await inspection.reach(of: try call.parameter("id")) })
      }
      routes.post("cases/:id", needs: .create) { call in
        let id = try call.parameter("id")
        _ = try await call.body()
        try await answering { try await inspection.create(id) }
        return .json(["id": .string(id)], status: .created)
      }
      routes.get("cases/:id/rows", query: ["from", "limit"]) { call in
        let from = try call.number("from", in: Call.seqs) ?? 1
        let limit = try call.number("limit", in: 1...10_000) ?? 500
        let id = try call.parameter("id")
        return .json(
          try await answering { try await inspection.rows(of: id, from: from, limit: limit) })
      }
      routes.get("cases/:id/rows/:seq/:place") { call in
        guard let seq = OutsideNumber.integer(try call.parameter("seq"), in: Call.seqs),
          let place = OutsideNumber.integer(
            try call.parameter("place"), in: OutsideNumber.counts)
        else {
          throw Problem.badRequest("a row must be an entry's number and a position in the entry")
        }
        let id = try call.parameter("id")
        return .json(try await answering { try await inspection.row(seq, place, of: id) })
      }
      routes.get("cases/:id/moment", query: ["seq"]) { call in
        let (id, seq) = (try call.parameter("id"), try call.number("seq", in: OutsideNumber.counts))
        return .json(try await answering { try await inspection.moment(of: id, at: seq) })
      }
      routes.get("cases/:id/scenario", query: ["from", "to"]) { call in
        let id = try call.parameter("id")
        guard let from = try call.number("from", in: Call.seqs),
          let to = try call.number("to", in: Call.seqs)
        else { throw Problem.badRequest("a scenario needs a range: from and to") }
        return .json(
          try await answering { try await inspection.scenario(of: id, from: from, to: to) })
      }
      routes.get("cases/:id/export", query: ["from", "limit"]) { call in
        let from = try call.number("from", in: Call.seqs) ?? 1
        let limit = try call.number("limit", in: 1...1_000) ?? 500
        let id = try call.parameter("id")
        return .json(
          try await answering { try await inspection.export(of: id, from: from, limit: limit) })
      }
      routes.get("cases/:id/events") { call in try await listen(call) }
      routes.get("tasks", query: ["queue", "after", "limit"]) { call in
        let limit = try call.number("limit", in: 1...1_000) ?? 100
        let after = try call.number("after", in: OutsideNumber.counts) ?? 0
        return .json(
          try await answering {
            try await inspection.deadTasks(
              of: call.query("queue"), after: after, limit: limit,
              mayOperate: call.caller?.may(.tasks) != false)
          })
      }
      mountActions(routes)
    }

    private func mountActions(_ routes: Routes) {
      routes.post("cases/:id/may/:action", needs: .read, query: ["by"]) { call in
        let (id, action) = (try call.parameter("id"), try call.parameter("action"))
        let payload = try await call.payload()
        return .json(
          try await answering {
            try await inspection.may(
              action, json: payload, at: id, by: try InspectorRoutes.by(call))
          })
      }
      routes.post("cases/:id/actions/:action", needs: .anyDispatch, query: ["by"]) { call in
        let (id, action) = (try call.parameter("id"), try call.parameter("action"))
        try call.expect(.dispatch(action))
        let payload = try await call.payload()
        return .json(
          try await answering {
            try await inspection.dispatch(
              action, json: payload, at: id, by: try InspectorRoutes.by(call))
          })
      }
      routes.post("cases/:id/end", needs: .end) { call in
        let id = try call.parameter("id")
        _ = try await call.body()
        try await answering { try await inspection.end(id) }
        return .json(["id": .string(id), "ended": true])
      }
      routes.post("cases/:id/retry", needs: .end) { call in
        let id = try call.parameter("id")
        _ = try await call.body()
        try await answering { try await inspection.retry(id) }
        return .json(["id": .string(id), "retried": true])
      }
      routes.post("cases/:id/fork", needs: .create) { call in
        let (id, body) = (try call.parameter("id"), try await call.body())
        guard let at = body["at"].flatMap({ OutsideNumber.integer($0, in: OutsideNumber.counts) }),
          let new = body["as"]?.stringValue, !new.isEmpty
        else { throw Problem.badRequest("a fork needs at, an entry's number, and as, a new id") }
        try await answering { try await inspection.fork(id, at: at, as: new) }
        return .json(["id": .string(new)], status: .created)
      }
    }

    /// The query parameters of a list of cases.
    private static let filters = [
      "in", "after", "limit", "search", "outcome", "time", "since", "until", "state",
    ]

    private func list(_ call: Call) async throws -> Response {
      let limit = try call.number("limit", in: 1...1_000) ?? 100
      return .json(
        try await answering {
          let filter = try CaseFilter(
            search: call.query("search"), outcome: call.query("outcome"), time: call.query("time"),
            since: call.number("since", in: InspectorRoutes.times),
            until: call.number("until", in: InspectorRoutes.times), state: call.query("state"))
          return try await inspection.cases(
            in: call.query("in"), after: call.query("after"), limit: limit, filter,
            now: InspectorRoutes.now)
        })
    }

    /// The valid times in requests, in microseconds since 1970.
    private static let times = 0...EngineTime.last

    private static var now: Int { Int(Date().timeIntervalSince1970 * 1_000_000) }

    private func listen(_ call: Call) async throws -> Response {
      let id = try call.parameter("id")
      let after = call.lastSeq ?? 0
      let news = try await answering { try await inspection.news(of: id, after: after) }
      return call.events { sink in
        for try await (seq, rows) in news {
          try await sink.send(JSONText.text(rows), id: String(seq), event: "rows")
        }
      }
    }

    // MARK: Requests

    /// Returns the author of a dispatch: the owner of the token, or else the one that the page names.
    private static func by(_ call: Call) throws -> String? {
      try call.by ?? call.query("by")
    }

    private func answering<Answer>(_ body: () async throws -> Answer) async throws -> Answer {
      do { return try await body() } catch let mistake as InspectorMistake {
        throw InspectorRoutes.problem(mistake)
      }
    }

    private static func problem(_ mistake: InspectorMistake) -> Problem {
      let status: HTTPResponse.Status =
        switch mistake.kind {
        case .unknown: .notFound
        case .bad: .badRequest
        case .conflict: .conflict
        case .gone: .gone
        }
      return Problem(status, mistake.description)
    }
  }
#endif
