#if Server
  import FlowCases
  import FlowHosting
  import FlowKernel
  import FlowLanguage
  import HTTPTypes
  import HostFiles
  import Hummingbird
  import LuaRuntime
  import NIOCore
  import Platform

  /// The HTTP route for webhooks: requests of other programs, whose signature is their right.
  struct HookRoutes: Sendable {
    /// A response, with the class under which it is counted.
    private typealias Done = (response: Response, kind: String)

    /// The number of requests that are handled now.
    private final class Handled: Sendable {
      let count = Mutex(0)
    }

    private let cases: Cases
    private let hostFile: HostFileInUse?
    private let service: HTTPService
    private let handled = Handled()

    /// The greatest size of an error text, in bytes.
    private static let longestError = 4_096

    /// Mounts the route on a service.
    static func mount(_ cases: Cases, _ hostFile: HostFileInUse?, on service: HTTPService) {
      let routes = HookRoutes(cases: cases, hostFile: hostFile, service: service)
      service.routes.at("hooks", open: true).postAnything(":name", needs: .anyDispatch) { call in
        try await routes.receive(call)
      }
    }

    private init(cases: Cases, hostFile: HostFileInUse?, service: HTTPService) {
      (self.cases, self.hostFile, self.service) = (cases, hostFile, service)
    }

    private func receive(_ call: Call) async throws -> Response {
      let name = try call.parameter("name")
      guard let file = hostFile?.file, let hook = file.hooks.first(where: { $0.name == name })
      else {
        // The names of the others are not for everybody.
        throw Problem(.notFound, "there is no such webhook", slug: "unknown-hook")
      }
      let meters = service.meters
      do {
        // A body that comes slowly must not take the place of another request.
        let body = try await call.bytes()
        guard enter() else { throw HookRoutes.busy }
        defer { handled.count.withLock { $0 -= 1 } }
        let done = try await handle(call, body, hook, file)
        meters.hooked(name, done.kind)
        return done.response
      } catch {
        let problem = HookRoutes.problem(error, hook, file.texts)
        meters.hooked(name, HookRoutes.kind(of: problem))
        throw problem
      }
    }

    private func enter() -> Bool {
      handled.count.withLock { count in
        guard count < service.options.maximumHooks else { return false }
        count += 1
        return true
      }
    }

    private func handle(
      _ call: Call, _ body: ByteBuffer, _ hook: HostHook, _ file: HostFile
    ) async throws -> Done {
      let headers = call.request.headers
      let now = cases.wall / 1_000_000
      let isSigned = hook.signature.isValid(for: Array(body.readableBytesView), now: now) { name in
        HTTPField.Name(name).flatMap { headers[$0] }
      }
      guard isSigned else {
        throw Problem(
          .unauthorized, "the signature is missing or wrong", slug: "bad-signature")
      }
      let event = try HookRequest.event(in: body, type: headers[.contentType])
      let request = try HookRequest.request(headers, query: call.request.uri.query ?? "")
      switch try await file.run(hook, on: event, request) {
      case .ignored: return (.json(["ignored": true]), "ignored")
      case .dispatch(let id, let action, let payload, let key, let given):
        try expectAllowed(action, hook)
        try await create(id, given: given)
        return try await dispatch(action, payload, key, id, hook)
      case .result(let call, let result): return try await answer(call, result)
      case .failure(let call, let error, let isRetryable):
        let row = try await task(of: call)
        let text = file.texts.hiding(error).prefix(bytes: HookRoutes.longestError)
        let failure = CallFailure(
          message: "\(row.task.name): \(text)", isFinal: !isRetryable)
        return try await answer(call, with: .failure(failure))
      }
    }

    // MARK: Actions

    /// Creates a case unless it exists; does nothing if no part of its state is given.
    private func create(_ id: String, given: Value?) async throws {
      guard let given else { return }
      do {
        try await cases.create(id, given: cases.flow.flow.types.reading(json: given))
      } catch let error as JournalError where error.kind == .knownCase {
      } catch let failure as DispatchFailure {
        throw HookRoutes.failed("case \(id) was not created: \(failure.message)")
      }
    }

    /// Throws unless a webhook may dispatch an action; a case must not be created for another one.
    private func expectAllowed(_ action: String, _ hook: HostHook) throws {
      guard hook.actions.contains(action),
        cases.flow.flow.action(named: action)?.isInternal == false
      else {
        let near = Names.suggestion(for: action, among: hook.actions)
        throw HookRoutes.failed(
          "run returned the action \(action), which its actions do not name\(near)")
      }
    }

    private func dispatch(
      _ action: String, _ payload: Value, _ key: String, _ id: String, _ hook: HostHook
    ) async throws -> Done {
      let outcome = try await cases[id].dispatch(
        action, cases.flow.flow.reading(json: payload, of: action),
        key: "hook/\(hook.name)/\(key)", by: "hook \(hook.name)", at: nil)
      switch outcome {
      case .passed(let commit):
        service.meters.dispatched(action, "passed")
        return (.json(["revision": .integer(commit.revision)]), "dispatched")
      case .refused(let refusal):
        service.meters.dispatched(action, "refused")
        guard hook.acceptsRefusals else { throw refusal }
        return (
          .json([
            "refused": true, "who": .string("\(refusal.rejectedBy)"),
            "why": .string(refusal.reason ?? refusal.description),
          ]), "refused"
        )
      case .failed(let failure):
        service.meters.dispatched(action, "failed")
        let place = failure.script.map { $0.place.isEmpty ? "" : " (\($0.place))" } ?? ""
        // The errors of a payload name the action themselves.
        let title = failure.kind == .payload ? "" : "action \(action): "
        throw HookRoutes.failed("\(title)\(failure.message)\(place)")
      }
    }

    // MARK: Answers

    /// Answers a call; a result that is not of its type is kept if nothing waits for it: it says that something was done.
    private func answer(_ call: String, _ result: Value) async throws -> Done {
      let row = try await task(of: call)
      let checked = TaskResult(result, of: cases.tasks.capability(of: row.task))
      switch checked {
      case .fits(let filled): return try await answer(call, with: .answer(filled))
      case .misfit where row.isOver: return try await answer(call, with: .answer(result))
      case .misfit, .nullInList, .tooLarge:
        throw HookRoutes.failed(
          "the result of \(row.task.capability) does not fit: \(checked.fault ?? "")")
      }
    }

    private func answer(_ call: String, with outcome: TaskOutcome) async throws -> Done {
      switch try await cases.tasks.answer(call: call, with: outcome) {
      case .done: return (.json(["answered": true]), "answered")
      case .unknown: throw HookRoutes.unknownCall
      case .unheard, .closed, .answered, .leaseLost:
        return (.json(["unheard": true]), "unheard")
      }
    }

    private func task(of call: String) async throws -> StoredTask {
      guard let row = try await cases.tasks.task(ofCall: call) else {
        throw HookRoutes.unknownCall
      }
      return row
    }

    // MARK: Problems

    /// An error of the host file or of the flow, which the sender must not see.
    private struct Failed: Error, CustomStringConvertible { let description: String }

    private static func failed(_ why: String) -> Failed { Failed(description: why) }

    private static var unknownCall: Problem {
      Problem(
        .notFound, "there is no such call, or it was closed more than an hour ago",
        slug: "unknown-call")
    }

    private static var busy: Problem {
      var problem = Problem(
        .serviceUnavailable, "too many requests to webhooks are handled at once",
        slug: "hooks-busy")
      problem.headers[.retryAfter] = "1"
      return problem
    }

    /// Returns the problem for an error; the sender sees no more of an error of a script than that it has failed.
    ///
    /// - Parameter texts: the texts of the host file, which the log does not show.
    private static func problem(
      _ error: any Error, _ hook: HostHook, _ texts: HostTexts
    ) -> Problem {
      var problem = Problem(error)
      switch error {
      case is HostFunctions.Busy: return busy
      case is ScriptError, is FlowError, is HookAnswer.Misfit, is Failed:
        problem = Problem(
          .internalServerError, "the webhook has failed; the log of the server says why",
          slug: "hook-failed")
        let summary = (error as? ScriptError)?.summary ?? "\(error)"
        problem.logged = "\(hook.title) (\(hook.place)): \(texts.hiding(summary))"
      case let error as JournalError where error.kind == .unknownCase:
        problem = .notFound("there is no such case: it was never created")
      default: problem.place = nil
      }
      return problem
    }

    /// Returns the class under which a problem is counted.
    private static func kind(of problem: Problem) -> String {
      switch problem.status.code {
      case 401: "unsigned"
      case 409: "refused"
      case 503 where problem.slug == "hooks-busy": "busy"
      case 500...: "failed"
      default: "rejected"
      }
    }
  }
#endif
