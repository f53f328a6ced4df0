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
  /// True if what goes along is the payload of the action under way.
  var isPayload = false
  /// Where it comes from, if it tells of an error.
  package var place: SourcePlace?
  /// True for the error of a condition that was asked without an event.
  var isOfEventless = false
}

/// What is done for sessions outside of Lua, in instructions: a chain of events that do little else is bounded by
/// `instructionsPerChain` as one of Lua is.
enum DocumentCosts {
  /// Of an event that comes to a session, of a microstep, and of a message.
  package static let step = 300
  /// Of a session that begins or ends.
  package static let session = 1_000
}

/// The names under which a queued event carries what is no data of its own.
package enum EventPart {
  package static let data = "#data"
  package static let origin = "#origin"
  static let invokeID = "#invokeid"
  static let sendID = "#sendid"
  /// The document whose session it is for.
  package static let session = "#to"
  /// True where `autoforward` sends it: what does not take it need not.
  static let forwarded = "#forwarded"
  private static let all: Set = [data, origin, invokeID, sendID, session, forwarded]

  /// What somebody is shown who asks what went along with an event: its data.
  package static func shown(_ payload: Value) -> Value {
    guard let fields = payload.recordValue, !fields.isEmpty,
      fields.keys.allSatisfy(all.contains)
    else { return payload }
    return fields[data] ?? [:]
  }
}

/// What sessions do in one transition, beside what becomes of the state.
final class DocumentRun {
  /// A message that is sent when the transition stands.
  package struct Message {
    package var name: String
    package var payload: Value
    package var delay: Double
    var sendID: String
    /// The session that sent it.
    package var session: Int
    package var receiver: Int { DocumentRun.receiver(of: payload) }
  }

  /// An invocation that was started in this transition.
  struct Started: Hashable {
    package let session: Int
    package let state: Chart.StateNumber
    package let number: Int

    package init(_ session: Int, _ state: Chart.StateNumber, _ number: Int) {
      (self.session, self.state, self.number) = (session, state, number)
    }
  }

  /// True if the action under way was queued: what is sent says more of itself than its data.
  var isQueued = false
  package var started: Set<Started> = []
  /// The latest events that no transition names whole, which somebody may hold.
  package var actions: [LoadedAction] = []
  /// The id of the invocation that is asked for.
  var idAsked: String?
  /// What has become of sessions that were cancelled.
  package var removed: [Microstep] = []
  /// What goes along with the action under way.
  package var payload: Value = .nil
  /// The event that conditions and content see; nil before the first.
  package var event: DocumentEvent?
  /// True if there is none, so that `_event` has no value.
  package var isQuiet = false
  /// The event that the function under way is about to be ended by: an error that is not one of Lua.
  var failing: DocumentEvent?
  /// The events that a session has raised, by session.
  package var raised: [[DocumentEvent]] = []
  /// The states that are active while a session moves, by session; nil where places say so.
  package var active: [Set<Chart.StateNumber>?] = []
  /// Where the regions of all machines stand.
  package var leafNumbers: [ChartInterpreter.LeafNumber] = []
  package var messages: [Message] = []
  /// The bytes that they take, about.
  var messageSize = 0
  /// What is cancelled of earlier transitions, with the session that says so.
  package var cancelled: [(session: Int, id: String)] = []
  /// The sessions that have ended, of which some may have begun again: of what was sent before, what they have sent
  /// for later comes no more, and they hear nothing.
  package private(set) var ended: Set<Int> = []
  /// By the addresses of sessions that were cancelled, who has invoked them, and hears of them no more.
  private(set) var silenced: [String: Int] = [:]
  /// The errors that nobody has taken.
  package var untaken: [DocumentEvent] = []
  /// Those of the beginning, which whoever hears of errors is told first.
  var untakenAtStart: [DocumentEvent] = []
  package var microsteps = 0
  /// How many events that were raised have been looked at.
  var raisedCount = 0
  /// Errors of conditions that were asked before the transition.
  package var early: [DocumentEvent] = []
  /// How many ids of messages were made in this transition.
  package var ids = 0
  /// True if a transition is under way.
  var isMoving = false

  /// True if an event is for a session that has ended, or comes from one that was cancelled to the one that had invoked
  /// it.
  func silences(_ payload: Value) -> Bool {
    let receiver = DocumentRun.receiver(of: payload)
    // The document itself says that it has ended.
    if receiver > 0 && ended.contains(receiver) { return true }
    guard let origin = payload[EventPart.origin]?.stringValue else { return false }
    return silenced[origin] == receiver
  }

  private static func receiver(of payload: Value) -> Int {
    payload[EventPart.session]?.integerValue ?? 0
  }

  /// A session has ended; if it was cancelled, its invoker hears of it no more.
  package func end(_ session: Int, at address: String, cancelledBy invoker: Int? = nil) {
    ended.insert(session)
    if let invoker { silenced[address] = invoker }
    messages.removeAll {
      $0.receiver == session && session > 0
        || $0.session == session && ($0.delay > 0 || $0.receiver == invoker)
    }
  }

  /// What was to be sent is sent.
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
