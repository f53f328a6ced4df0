import FlowKernel
import FlowLanguage
import LuaRuntime
import Platform

/// A notification of a host file: signed requests that tell another program of commits.
package struct HostNotification: Sendable {
  package let name: String
  /// The line of the host file that declares it.
  package let place: SourcePlace
  package let rules: NotificationRules
  /// The request in a line, such as `POST $ERP_URL, on paid`.
  package let summary: String
  private let options: HTTPOptions
  private let signature: HookSignature
  private let texts: HostTexts

  /// The time in which the values of views are computed, in microseconds.
  private static let timeOfViews = 30_000_000

  /// Reads the prelude's description; nil if it has no URL.
  ///
  /// - Parameters:
  ///   - texts: the texts that the host file has read, which the summary does not show.
  ///   - faults: gets each fault that the prelude has not found.
  init?(_ entry: Value, _ texts: HostTexts, faults: inout [String]) {
    guard let options = HTTPOptions(entry, hasNames: texts.areNames, faults: &faults) else {
      return nil
    }
    faults += options.placeholderFaults(arguments: [], isRoot: true)
    (self.options, self.texts) = (options, texts)
    name = entry["name"]?.stringValue ?? ""
    place = SourcePlace(describedIn: entry)
    signature = HookSignature(
      .standard, secrets: (entry["secrets"]?.listValue ?? []).compactMap(\.stringValue))
    let actions = entry["on"]?.listValue?.compactMap(\.stringValue)
    let giveUp = entry["give_up"]?.doubleValue ?? 3 * 24 * 3_600
    rules = NotificationRules(
      actions: actions.map { Set($0) },
      views: (entry["views"]?.listValue ?? []).compactMap(\.stringValue),
      hasPayload: entry["payload"] == true, giveUp: EngineTime.microseconds(giveUp))
    summary =
      texts.hiding("\(options.method) \(options.loadedURL)")
      + (actions.map { ", on \($0.joined(separator: ", "))" } ?? "")
  }

  /// The name as the host file has it, such as `notify.erp`.
  package var title: String { "notify.\(name)" }

  /// Returns a fault for each action and each view that a flow does not declare.
  func faults(for flow: Flow) -> [Diagnostic] {
    let actions = (rules.actions ?? []).sorted().filter { flow.action(named: $0) == nil }.map {
      "\(title): \(flow.file) declares no action \($0)"
        + Names.suggestion(for: $0, among: flow.actions.map(\.name))
    }
    let views = rules.views.filter { flow.view(named: $0) == nil }.map {
      "\(title): \(flow.file) declares no view \($0)"
        + Names.suggestion(for: $0, among: flow.views.map(\.function.name))
    }
    return (actions + views).map {
      Diagnostic(file: place.file, line: place.line, message: $0)
    }
  }

  /// Returns the notification as the journal's tasks know it.
  ///
  /// - Parameter sender: the client of its requests; nil if another process sends them.
  func capability(_ sender: (any HTTPSender)?) -> TaskCapability {
    TaskCapability.notification(
      name, rules,
      by: sender.map { sender in
        LocalPerformer(
          atOnce: options.atOnce,
          timeout: EngineTime.microseconds(options.timeout) + HostNotification.timeOfViews,
          perform: { await send($0, by: sender) })
      })
  }

  // MARK: Requests

  /// Sends an event: the arguments of a task, under the id of its call.
  private func send(
    _ event: PerformedTask, by sender: any HTTPSender
  ) async -> PerformedOutcome {
    let now = Date().timeIntervalSince1970
    let request: HTTPTaskRequest
    do throws(CallFault) {
      request = try self.request(for: event, at: Int(now))
    } catch {
      return HostNotification.failure(error.description)
    }
    let context = CallContext(name: title, isRepeated: false, now: now, texts: texts)
    switch await sender.send(request) {
    case .interrupted: return .interrupted
    case .failed(let reason), .refused(let reason):
      return HostNotification.failure(texts.hiding(reason))
    case .received(let status, let headers, let body):
      if (200..<300).contains(status) { return .answered(.answer(.nil)) }
      let excerpt = context.excerpt(of: body)
      let text = excerpt.isEmpty ? "\(status)" : "\(status) \(excerpt)"
      if status == 410 { return .dead(text) }
      return HostNotification.failure(text, status: status, after: headers.retryAfter(now: now))
    }
  }

  private static func failure(
    _ reason: String, status: Int? = nil, after: Double? = nil
  ) -> PerformedOutcome {
    .answered(
      .failure(CallFailure(message: reason, isFinal: false, status: status, after: after)))
  }

  /// Returns the request of an event, with the headers of Standard Webhooks.
  private func request(
    for event: PerformedTask, at time: Int
  ) throws(CallFault) -> HTTPTaskRequest {
    let call = HostCall(
      arguments: [], id: event.task.call, caseID: event.caseID, scopeKey: .nil)
    let parts = try HTTPRequestParts(["body": event.task.arguments])
    let request = try options.request(for: call, parts)
    let body = request.body ?? []
    let headers = [
      HTTPTaskHeader("webhook-id", call.id), HTTPTaskHeader("webhook-timestamp", "\(time)"),
      HTTPTaskHeader(
        "webhook-signature", signature.signatures(of: body, id: call.id, time: time)),
    ]
    return HTTPTaskRequest(
      method: request.method, url: request.url, headers: headers + request.headers, body: body,
      timeout: request.timeout, mostBytes: request.mostBytes, network: request.network,
      allowsPlain: request.allowsPlain, tls: request.tls)
  }
}
