import Moonlatch

/// One dispatch of a scenario, or an action from the queue.
package struct Step: Sendable {
  /// The action's name.
  package let action: String
  /// Its payload; nil for one from the queue that has nothing in it.
  package var payload: Value?
  /// Whether an effect or a timer has dispatched it.
  package var isFromQueue = false
  /// When it was, in microseconds since the host began.
  package var time: Int?
  /// What it came to.
  package var outcome: Outcome
  /// The timer of a state that is spent with it, as a sentence.
  package var spent: String?
  /// What machines did in it, where that is noted.
  package internal(set) var machineSteps: [MicrostepRecord] = []
  /// The ways that machines with states inside took.
  package private(set) var transitions: [String] = []
  /// What had regions stand where they do, by the paths of their fields, if that was no action.
  package private(set) var eventless: [String: String] = [:]

  /// The same with the names of what machines did.
  func told(of flow: Flow) -> Step {
    var step = self
    (step.transitions, step.eventless) = (
      flow.transitions(in: machineSteps), flow.eventless(in: machineSteps)
    )
    return step
  }
}

/// The last steps of a scenario, which may make millions.
struct Timeline {
  private var ring: [Step] = []
  /// Where the oldest stands, once the ring is full.
  private var start = 0
  /// How many steps were let go.
  private(set) var earlier = 0
  private let capacity: Int
  /// The flow that says what of payloads is shown.
  private let flow: Flow?

  init(capacity: Int, of flow: Flow? = nil) { (self.capacity, self.flow) = (capacity, flow) }

  /// Oldest first.
  var latest: [Step] { Array(ring[start...] + ring[..<start]) }

  mutating func add(_ step: Step) {
    var step = step
    if let flow, let payload = step.payload {
      let shown = flow.shown(payload, of: step.action)
      step.payload = step.isFromQueue && shown.isEmptyTable ? nil : shown
    }
    guard ring.count == capacity else { return ring.append(step) }
    ring[start] = step
    start = (start + 1) % capacity
    earlier += 1
  }

  /// A dispatch of the scenario itself: when it passed, its transition has been added already.
  mutating func add(_ action: String, _ payload: Value, _ outcome: Outcome, at time: Int) {
    let newest = start == 0 ? ring.count - 1 : start - 1
    if case .passed(let commit) = outcome, ring.indices.contains(newest),
      case .passed(let added) = ring[newest].outcome, added.revision == commit.revision
    {
      ring[newest].payload = flow?.shown(payload, of: action) ?? payload
    } else {
      add(Step(action: action, payload: payload, time: time, outcome: outcome))
    }
  }
}
