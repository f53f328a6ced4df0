import FlowLanguage
import LuaRuntime
import SCXML
import StateCharts

/// The messages that sessions of SCXML documents send, which are delivered after the commit.
extension Engine {
  /// Adds an event that comes to a session after the commit.
  package func deliver(
    _ name: String, _ data: Value, to session: Int, delay: Double = 0, sendID: String,
    from sender: Int, origin: String?, invokeID: String?, isForwarded: Bool = false
  ) {
    vm.spend(DocumentCosts.step)
    var payload: [String: Value] = [EventPart.data: data]
    if session > 0 { payload[EventPart.session] = .integer(session) }
    if let origin { payload[EventPart.origin] = .string(origin) }
    if let invokeID { payload[EventPart.invokeID] = .string(invokeID) }
    if isForwarded { payload[EventPart.forwarded] = true }
    if !sendID.isEmpty { payload[EventPart.sendID] = .string(sendID) }
    payload = payload.filter { !$0.value.isNil }
    if payload.isEmpty { payload[EventPart.session] = .integer(0) }
    documentRun.messages.append(
      DocumentRun.Message(
        name: name, payload: .record(payload), delay: delay, sendID: sendID, session: sender))
  }

  /// Sends the messages of sessions, and cancels the messages that they have cancelled.
  func sendMessages(_ cause: Cause, isStarting: Bool = false) {
    let run = documentRun
    if let instrumentation, run.messages.contains(where: { $0.delay > 0 }) || !run.cancelled.isEmpty
    {
      instrumentation.recordReadOfTimers()
    }
    for (session, id) in run.cancelled {
      caseState.cancelTimers {
        $0.owner == owner(of: session) && $0.action?.payload[EventPart.sendID]?.stringValue == id
      }
    }
    if !run.ended.isEmpty {
      _ = caseState.queue.removeActions { run.silences($0.payload) }
    }
    for session in run.ended { stopTimers(ownedBy: owner(of: session)) }
    for message in run.messages {
      let queued = QueuedAction(name: message.name, payload: message.payload, cause: cause)
      add(
        queued, in: message.delay, owner: message.delay > 0 ? owner(of: message.session) : .nobody)
    }
    if isStarting {
      documentRun.untakenAtStart = run.untaken
      tellOfBeginning()
    } else {
      tell(of: run.untaken)
    }
    run.forget()
  }

  /// Reports the errors of the start, which happened before there was anybody to report to.
  func tellOfBeginning() {
    let events = documentRun.untakenAtStart
    if !events.isEmpty { tell(of: events) }
  }

  /// The errors of a document's start that no transition has taken, with their lines.
  package var beginningErrors: [Diagnostic] {
    documentRun.untakenAtStart.map { event in
      Diagnostic(
        file: event.place?.file ?? flow.file, line: event.place?.line ?? 0,
        message: "no transition handles \(event.name), which was raised at the start: "
          + (event.data.stringValue ?? ""))
    }
  }

  func tell(of untaken: [DocumentEvent]) {
    for event in untaken {
      report(.untaken(event.name, event.data.stringValue ?? "", event.place))
    }
  }

  package func owner(of session: Int) -> PendingTimer.Owner {
    .stateEffect(ActiveState(machine: loadedMachines[session].name, state: ""))
  }
}
