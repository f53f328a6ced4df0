import FlowLanguage
import LuaRuntime
import SCXML
import StateCharts

/// The functions for the content of SCXML documents: configuration, current event, raising and sending.
extension Engine {
  /// Answers a call of one of these functions.
  func answerOfDocument(_ arguments: [Value]) throws -> [Value] {
    guard let document = flow.document, arguments.count >= 2,
      let session = arguments[1].integerValue, loadedMachines.indices.contains(session)
    else { return [] }
    let value = arguments.count > 2 ? arguments[2] : .nil
    switch arguments[0].stringValue {
    case "in": return [.boolean(isIn(value.stringValue ?? "", session))]
    case "event": return [part(value.stringValue ?? "")]
    case "system": return [system(value.stringValue ?? "", session)]
    case "text": return [.string(JSONText.text(value))]
    case "id":
      if let id = documentRun.idAsked { return [.string(id)] }
      return [.string(newID())]
    case "raise":
      try requireReserve(inRaisedOf: session)
      documentRun.raised[session].append(
        DocumentEvent(name: value.stringValue ?? "", kind: .internal))
    case "error":
      try requireReserve(inRaisedOf: session)
      documentRun.raised[session].append(
        .error("execution", ScriptError(kind: .runtime, message: value.stringValue ?? ""), at: nil))
    case "cancel": cancelSends(value.stringValue ?? value.description, of: session)
    case "send":
      let line = arguments.count > 4 ? arguments[4].integerValue : nil
      let place = line.map { SourcePlace(file: arguments[3].stringValue ?? flow.file, line: $0) }
      try send(value, of: session, document, at: place)
    default: break
    }
    return []
  }

  /// Throws if as many raised events wait as the queue of actions may have.
  private func requireReserve(inRaisedOf session: Int) throws(ScopeRefusal) {
    guard documentRun.raised[session].count < limits.queue else {
      throw ScopeRefusal("\(limits.queue) raised events are waiting already")
    }
  }

  package func isIn(_ name: String, _ session: Int) -> Bool {
    let machine = loadedMachines[session]
    guard let state = machine.stateNumbers[name] else { return false }
    if documentRun.isMoving, let active = documentRun.active[session] {
      return active.contains(state)
    }
    return machine.isActive(
      state, at: documentRun.isMoving ? documentRun.leafNumbers : derived.configuration)
  }

  package func part(_ field: String) -> Value {
    guard let event = documentRun.event else { return .nil }
    let text = { (text: String?) in text.map(Value.string) ?? .nil }
    switch field {
    case "name": return .string(event.name)
    case "type": return .string(event.kind.rawValue)
    case "sendid": return text(event.sendID)
    case "origin": return text(event.origin)
    case "origintype":
      return event.kind == .external ? .string(Engine.scxmlProcessor) : .nil
    case "invokeid": return text(event.invokeID)
    case "data": return event.isPayload ? true : event.data
    default: return .nil
    }
  }

  static let scxmlProcessor = "http://www.w3.org/TR/scxml/#SCXMLEventProcessor"

  package func address(of session: Int) -> String { "#_scxml_\(loadedMachines[session].name)" }

  package func system(_ name: String, _ session: Int) -> Value {
    switch name {
    case "_name": .string(flow.document?.documents[session].name ?? "")
    case "_sessionid": .string(loadedMachines[session].name)
    case "_ioprocessors":
      [
        Engine.scxmlProcessor: ["location": .string(address(of: session))],
        "scxml": ["location": .string(address(of: session))],
      ]
    default: .nil
    }
  }

  func newID() -> String {
    documentRun.ids += 1
    return "send.\(revision + 1).\(documentRun.ids)"
  }

  func cancelSends(_ id: String, of session: Int) {
    documentRun.messages.removeAll { $0.sendID == id && $0.session == session && $0.delay > 0 }
    documentRun.cancelled.append((session, id))
  }

  package func send(
    _ message: Value, of session: Int, _ document: FlowDocument, at place: SourcePlace?
  ) throws {
    try requireReserve(inRaisedOf: session)
    guard documentRun.messages.count + caseState.queue.count < limits.queue else {
      throw ScopeRefusal("the queue is full (\(limits.queue) actions)")
    }
    let target = message["target"]?.stringValue ?? ""
    let kind = message["kind"]?.stringValue ?? ""
    let known = ["", "scxml", Engine.scxmlProcessor, "http://www.w3.org/TR/scxml/"]
    let given = message["id"]?.stringValue
    let id = given ?? newID()
    // The error ends its block, as every error does.
    func failure(_ word: String, _ why: String) -> ScopeRefusal {
      documentRun.failing = DocumentEvent(
        name: "error.\(word)", kind: .platform, sendID: given, data: .string(why),
        place: place ?? flow.machines[session].place)
      return ScopeRefusal(why)
    }
    guard known.contains(kind) else {
      let isHTTP = kind.hasSuffix("#BasicHTTPEventProcessor") || kind == "basichttp"
      throw failure(
        isHTTP ? "communication" : "execution",
        isHTTP ? "there is no BasicHTTP event processor" : "there is no event processor \(kind)")
    }
    guard let name = message["event"]?.stringValue, !name.isEmpty else {
      throw failure("execution", "<send> must name an event")
    }
    let seconds: Double
    switch message["delay"] {
    case nil, .nil?: seconds = 0
    case .string(let text)?:
      guard let found = Delay.seconds(text) else {
        throw failure("execution", "delay \(text) is not a duration such as 2s or 500ms")
      }
      seconds = found
    case let value?:
      guard let found = value.doubleValue, found >= 0, found.isFinite else {
        throw failure("execution", "delay \(value) is not a duration such as 2s or 500ms")
      }
      // A number is in milliseconds, as in SCION, uscxml and Commons SCXML.
      seconds = found / 1_000
    }
    let data = message["data"] ?? .nil
    if target == "#_internal" {
      documentRun.raised[session].append(
        DocumentEvent(name: name, kind: .internal, sendID: given, data: data))
      return
    }
    let receiver: Int
    var invokeID: String?
    switch target {
    case "", address(of: session): receiver = session
    case "#_parent":
      guard let (outer, place) = document.invokers[session] else {
        throw failure("communication", "this document has no parent")
      }
      receiver = outer
      invokeID = self.id(of: document.documents[outer].invokes[place], outer)
    default:
      let all = document.documents.indices
      if let other = all.first(where: { isRunning($0) && address(of: $0) == target }) {
        receiver = other
      } else if let invoke = document.documents[session].invokes.first(where: {
        "#_" + self.id(of: $0, session) == target
      }), let other = invoke.documents.first(where: { isRunning($0) }) {
        receiver = other
      } else if target.hasPrefix("#_") {
        throw failure("communication", "there is no session \(target)")
      } else {
        throw failure("execution", "\(target) is not a target of the SCXML event processor")
      }
    }
    let later = documentRun.messages.count { $0.delay > 0 } + caseState.timers.ofEffects
    if seconds > 0, later >= limits.timers {
      throw ScopeRefusal("\(limits.timers) timers are pending already")
    }
    // The history needs room for it too, as long as undo can go back to before.
    try requireReserve(for: 2 * (data.size + 200) + documentRun.messageSize, of: name)
    documentRun.messageSize += 2 * (data.size + 200)
    deliver(
      name, data, to: receiver, delay: seconds, sendID: given ?? (message["id"] == nil ? "" : id),
      from: session,
      origin: address(of: session), invokeID: invokeID)
  }
}
