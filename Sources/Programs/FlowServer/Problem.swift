#if Server
  import FlowKernel
  import HTTPTypes
  import Hummingbird
  import LuaRuntime

  /// An error response as problem+json (RFC 9457), with what rejected the request, why, and where that is declared.
  package struct Problem: Error, Sendable {
    package var status: HTTPResponse.Status
    /// The reason, as a sentence.
    package var why: String
    /// The declaration that rejected the request: `gate pay`.
    package var who: String?
    /// The source position of that declaration: `order.lua:12`.
    package var place: String?
    /// All errors, if there are several.
    package var faults: [String] = []
    package var headers: HTTPFields = [:]
    /// The last part of the path of its type, which has a page; nil for the type that the status has.
    package var slug: String?
    /// The reason in the log, for senders that must not see it; nil if it is the one that they see.
    var logged: String?

    package init(
      _ status: HTTPResponse.Status, _ why: String, who: String? = nil, place: String? = nil,
      slug: String? = nil
    ) {
      (self.status, self.why, self.who, self.place) = (status, why, who, place)
      self.slug = slug
    }

    /// The types of problems that the status alone tells.
    private static let slugs = [
      400: "malformed", 401: "unauthorized", 403: "forbidden", 413: "too-large", 415: "media-type",
    ]

    private var type: String {
      (slug ?? Problem.slugs[status.code]).map { "/problems/\($0)" } ?? "about:blank"
    }

    package static func notFound(_ why: String) -> Problem { Problem(.notFound, why) }
    package static func badRequest(_ why: String) -> Problem { Problem(.badRequest, why) }
    package static func forbidden(_ why: String) -> Problem { Problem(.forbidden, why) }

    /// Creates the problem for any error.
    package init(_ error: any Error) {
      switch error {
      case let problem as Problem: self = problem
      case let refusal as Refusal:
        self.init(
          .conflict, refusal.reason ?? refusal.description, who: "\(refusal.rejectedBy)",
          place: "\(refusal.place)")
      case let failure as DispatchFailure: self.init(failure)
      case let error as JournalError: self.init(error)
      case let error as ViewError: self.init(error)
      case let error as ScriptError:
        self.init(
          .internalServerError, error.message, place: error.place.isEmpty ? nil : error.place)
      case let error as HTTPError: self.init(error.status, error.body ?? error.status.reasonPhrase)
      case is RequestDeadline.Passed:
        self.init(
          .requestTimeout,
          "the request took too long to come: send it within the time that is given")
        headers[.connection] = "close"
      case let error as any HTTPResponseError: self.init(error.status, error.status.reasonPhrase)
      default: self.init(.internalServerError, "\(error)")
      }
    }

    private init(_ failure: DispatchFailure) {
      let place = failure.script.flatMap { $0.place.isEmpty ? nil : $0.place }
      switch failure.kind {
      case .undeclared: self.init(.notFound, failure.message, place: place)
      case .payload:
        self.init(.unprocessableContent, failure.message, place: place)
        faults = Problem.faults(in: failure)
      case .script, .invariant, .limit:
        self.init(.internalServerError, failure.message, who: failure.kind.rawValue, place: place)
      }
    }

    /// Returns each error of a payload; suggestions stay with their error.
    private static func faults(in failure: DispatchFailure) -> [String] {
      let beginning = "action \(failure.action): "
      let text =
        failure.message.hasPrefix(beginning)
        ? failure.message.dropFirst(beginning.count) : failure.message[...]
      var faults: [String] = []
      for part in text.components(separatedBy: "; ") {
        if part.hasPrefix("did you mean"), let last = faults.popLast() {
          faults.append("\(last); \(part)")
        } else {
          faults.append(part)
        }
      }
      return faults
    }

    private init(_ error: JournalError) {
      switch error.kind {
      case .unknownCase: self.init(.notFound, error.description)
      case .knownCase: self.init(.conflict, error.description)
      case .endedCase: self.init(.conflict, error.description)
      case .otherRevision: self.init(.preconditionFailed, error.description)
      // The request itself is valid, but contradicts an earlier one.
      case .keyReused: self.init(.conflict, error.description)
      case .otherFlow, .unfit, .damaged, .unreadable, .unsafe:
        self.init(.internalServerError, error.description)
      case .locked, .fenced, .otherVersion, .full, .failed, .closed:
        self.init(.serviceUnavailable, error.description)
        headers[.retryAfter] = "1"
        slug = "journal"
      }
    }

    private init(_ error: ViewError) {
      switch error {
      case .undeclared(let message): self.init(.notFound, message)
      case .mismatch(let message): self.init(.internalServerError, message)
      case .failed(let error):
        self.init(
          .internalServerError, error.message, place: error.place.isEmpty ? nil : error.place)
      case .unreachable(let error): self.init(.serviceUnavailable, error.description)
      case .unsaved(let error): self.init(error)
      }
    }

    static let mediaType = "application/problem+json"

    /// The JSON body.
    var text: String {
      var fields: [String: Value] = [
        "type": .string(type), "title": .string(status.reasonPhrase),
        "status": .integer(status.code), "detail": .string(why), "why": .string(why),
      ]
      if let who { fields["who"] = .string(who) }
      if let place { fields["place"] = .string(place) }
      if !faults.isEmpty { fields["faults"] = .list(faults.map { .string($0) }) }
      return JSONText.text(.record(fields))
    }

    /// The response that is sent.
    package var response: Response {
      var response = Response.text(text, as: Problem.mediaType)
      response.status = status
      for header in headers { response.headers[header.name] = header.value }
      return response
    }
  }

#endif
