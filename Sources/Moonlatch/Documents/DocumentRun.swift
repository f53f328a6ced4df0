import SCXML
import StateCharts

/// An event of a document's session.
struct DocumentEvent: Sendable {
  enum Kind: String, Sendable { case platform, `internal`, external }

  let name: String
  var kind = Kind.external
  var sendID: String?
  var origin: String?
  var invokeID: String?
  var data: Value = .nil
  /// Whether what goes along is the payload of the action under way.
  var isPayload = false
  /// Where it comes from, if it tells of an error.
  var place: SourcePlace?
}

/// The names under which a queued event carries what is no data of its own; no flow has such fields.
enum EventPart {
  static let data = "#data"
  static let origin = "#origin"
  static let invokeID = "#invokeid"
  static let sendID = "#sendid"
  /// The document whose session it is for.
  static let session = "#to"
  static let all = [data, origin, invokeID, sendID, session]
}

/// What sessions do in one transition, beside what becomes of the state.
final class DocumentRun {
  /// A message that is sent when the transition stands.
  struct Message {
    var name: String
    var payload: Value
    var delay: Double
    var sendID: String
    /// The session that sent it.
    var session: Int
  }

  /// An invocation that was started in this transition.
  struct Started: Hashable {
    let session: Int
    let state: Chart.StateNumber
    let number: Int

    init(_ session: Int, _ state: Chart.StateNumber, _ number: Int) {
      (self.session, self.state, self.number) = (session, state, number)
    }
  }

  /// The sessions that have had no event yet.
  var quiet: Set<Int> = []
  /// Whether the action under way was queued: what is sent says more of itself than its data.
  var isQueued = false
  var started: Set<Started> = []
  /// The latest events that no transition names whole, which somebody may hold.
  var actions: [LoadedAction] = []
  /// The id of the invocation that is asked for.
  var idAsked: String?
  /// What has become of sessions that were cancelled.
  var removed: [MachineMove] = []
  /// What goes along with the action under way.
  var payload: Value = .nil
  /// The event that conditions and content see; nil before the first.
  var event: DocumentEvent?
  /// The events that a session has raised, by session.
  var raised: [[DocumentEvent]] = []
  /// The states that are active while a session moves, by session; nil where places say so.
  var active: [Set<Chart.StateNumber>?] = []
  /// Where the regions of all machines stand.
  var stops: [Planner.Stop] = []
  var messages: [Message] = []
  /// The bytes that they take, about.
  var messageSize = 0
  /// What is cancelled of earlier transitions, with the session that says so.
  var cancelled: [(session: Int, id: String)] = []
  /// The sessions that have ended: what they have sent later is sent no more.
  var ended: Set<Int> = []
  /// The errors that nobody has taken.
  var untaken: [DocumentEvent] = []
  /// Those of the beginning, which whoever hears of errors is told first.
  var untakenAtStart: [DocumentEvent] = []
  var microsteps = 0
  /// How many events that were raised have been looked at.
  var raisedCount = 0
  /// Errors of conditions that were asked before the transition.
  var early: [DocumentEvent] = []
  /// How many ids of messages were made in this transition.
  var ids = 0
  /// Whether a transition is under way.
  var isMoving = false

  func begin(_ count: Int, at places: [Planner.Stop]) {
    if raised.count != count {
      raised = Array(repeating: [], count: count)
      active = Array(repeating: nil, count: count)
    }
    for session in 0..<count {
      if !raised[session].isEmpty { raised[session] = [] }
      if active[session] != nil { active[session] = nil }
    }
    stops = places
    messages = []
    messageSize = 0
    cancelled = []
    ended = []
    untaken = []
    microsteps = 0
    raisedCount = 0
    ids = 0
    started = []
    quiet = []
    removed = []
    isMoving = true
  }
}
