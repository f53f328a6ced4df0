import FlowLanguage
import LuaRuntime
import SCXML
import StateCharts

/// An event of a document's session.
package struct DocumentEvent: Sendable {
  package enum Kind: String, Sendable { case platform, `internal`, external }

  package let name: String
  package var kind = Kind.external
  var sendID: String?
  package var origin: String?
  var invokeID: String?
  package var data: Value = .nil
  /// True if the event's data is the payload of the current action.
  var isPayload = false
  /// The place of the error that the event reports; nil for any other event.
  package var place: SourcePlace?
  /// True for an error in the condition of an eventless transition.
  var isOfEventless = false
}

/// The costs of work for sessions outside of Lua, in instructions.
///
/// They let `instructionsPerChain` bound a chain of events that runs little else, as it bounds one of Lua.
enum DocumentCosts {
  /// The cost of an event that comes to a session, of a microstep, and of a message.
  package static let step = 300
  /// The cost of the start or the end of a session.
  package static let session = 1_000
}

/// The fields of a queued event's payload that contain its attributes and its data.
package enum EventPart {
  package static let data = "#data"
  package static let origin = "#origin"
  static let invokeID = "#invokeid"
  static let sendID = "#sendid"
  /// The number of the document whose session receives the event.
  package static let session = "#to"
  /// True if `autoforward` sends the event, which its receiver need not take.
  static let forwarded = "#forwarded"
  private static let all: Set = [data, origin, invokeID, sendID, session, forwarded]

  /// Returns the part of a payload that is shown to users: the data of the event.
  package static func shown(_ payload: Value) -> Value {
    guard let fields = payload.recordValue, !fields.isEmpty,
      fields.keys.allSatisfy(all.contains)
    else { return payload }
    return fields[data] ?? [:]
  }
}

/// The work of sessions in one dispatch, beside the change of the state.
final class DocumentRun {
  /// A message that is sent after the commit.
  package struct Message {
    package var name: String
    package var payload: Value
    package var delay: Double
    var sendID: String
    /// The session that sent it.
    package var session: Int
    package var receiver: Int { DocumentRun.receiver(of: payload) }
  }

  /// An invocation that was started in this dispatch.
  struct Started: Hashable {
    package let session: Int
    package let state: Chart.StateNumber
    package let number: Int

    package init(_ session: Int, _ state: Chart.StateNumber, _ number: Int) {
      (self.session, self.state, self.number) = (session, state, number)
    }
  }

  /// True if the current action was queued, so that its payload has attributes besides the data.
  var isQueued = false
  package var started: Set<Started> = []
  /// The latest actions for events that no transition names in full, which a caller may still use.
  package var actions: [LoadedAction] = []
  /// The id of the invocation whose `idlocation` is being set; otherwise nil.
  var idAsked: String?
  /// The microsteps of cancelled sessions that the macrostep does not contain yet.
  package var removed: [Microstep] = []
  /// The payload of the current action.
  package var payload: Value = .nil
  /// The event that conditions and content see; nil before the first.
  package var event: DocumentEvent?
  /// True if there is no event, so that `_event` has no value.
  package var isQuiet = false
  /// The event for the error that is about to end the current function, if it is not an error of Lua.
  var failing: DocumentEvent?
  /// The queues of internal events, by session.
  package var raised: [[DocumentEvent]] = []
  /// The active states during a microstep, by session; nil while `leafNumbers` has them.
  package var active: [Set<Chart.StateNumber>?] = []
  /// The configuration of all machines.
  package var leafNumbers: [ChartInterpreter.LeafNumber] = []
  package var messages: [Message] = []
  /// The approximate size of the messages, in bytes.
  var messageSize = 0
  /// The ids of earlier messages that are cancelled, with the session that cancels them.
  package var cancelled: [(session: Int, id: String)] = []
  /// The sessions that have ended, some of which may have started again.
  ///
  /// Events that were sent to them before, and delayed messages that they sent before, are dropped.
  package private(set) var ended: Set<Int> = []
  /// The sessions that had invoked a cancelled one and receive nothing more from it, by the cancelled one's address.
  private(set) var silenced: [String: Int] = [:]
  /// The errors that no transition has taken.
  package var untaken: [DocumentEvent] = []
  /// The errors of the start that no transition has taken, which are reported once there is somebody to report to.
  var untakenAtStart: [DocumentEvent] = []
  package var microsteps = 0
  /// The number of raised events that were processed.
  var raisedCount = 0
  /// The errors of conditions that were evaluated before the macrostep.
  package var early: [DocumentEvent] = []
  /// The number of message ids that were made in this dispatch.
  package var ids = 0
  /// True while a macrostep is running.
  var isMoving = false

  /// Returns true if an event is to be dropped.
  ///
  /// It is for a session that has ended, or comes from a cancelled session to the one that had invoked it.
  func silences(_ payload: Value) -> Bool {
    let receiver = DocumentRun.receiver(of: payload)
    // The document itself refuses an event with its own reason if it has ended.
    if receiver > 0 && ended.contains(receiver) { return true }
    guard let origin = payload[EventPart.origin]?.stringValue else { return false }
    return silenced[origin] == receiver
  }

  private static func receiver(of payload: Value) -> Int {
    payload[EventPart.session]?.integerValue ?? 0
  }

  /// Marks a session as ended; if it was cancelled, its invoker receives nothing more from it.
  package func end(_ session: Int, at address: String, cancelledBy invoker: Int? = nil) {
    ended.insert(session)
    if let invoker { silenced[address] = invoker }
    messages.removeAll {
      $0.receiver == session && session > 0
        || $0.session == session && ($0.delay > 0 || $0.receiver == invoker)
    }
  }

  /// Clears the messages, and what belongs to them, once they are sent.
  package func forget() {
    messages = []
    cancelled = []
    ended = []
    silenced = [:]
    untaken = []
  }

  package func begin(_ count: Int, at configuration: [ChartInterpreter.LeafNumber]) {
    if raised.count != count {
      raised = Array(repeating: [], count: count)
      active = Array(repeating: nil, count: count)
    }
    for session in 0..<count {
      if !raised[session].isEmpty { raised[session] = [] }
      if active[session] != nil { active[session] = nil }
    }
    leafNumbers = configuration
    forget()
    messageSize = 0
    failing = nil
    microsteps = 0
    raisedCount = 0
    ids = 0
    started = []
    removed = []
    isMoving = true
  }
}
