import DequeModule
import FlowKernel
import FlowLanguage
import LuaRuntime

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

extension Step {
  /// The bytes that it takes, about.
  fileprivate var size: Int {
    let passed = if case .passed(let commit) = outcome { commit.size } else { 0 }
    return 200 + passed + (payload?.size ?? 0)
  }
}

/// The last steps of a scenario, which may make millions: no more than so many, and than so many bytes.
struct Timeline {
  private var steps: Deque<Step> = []
  private var bytes = 0
  /// How many steps were let go.
  private(set) var earlier = 0
  private let capacity: Int
  private let mostBytes: Int
  /// The flow that says what of payloads is shown.
  private let flow: Flow?

  init(capacity: Int, bytes: Int, of flow: Flow? = nil) {
    (self.capacity, mostBytes, self.flow) = (capacity, bytes, flow)
  }

  /// Oldest first.
  var latest: [Step] { Array(steps) }

  mutating func add(_ step: Step) {
    var step = step
    if let flow, let payload = step.payload {
      let shown = flow.shown(payload, of: step.action)
      step.payload = step.isFromQueue && shown.isEmptyTable ? nil : shown
    }
    steps.append(step)
    bytes += step.size
    // The newest stays, however large it is.
    while steps.count > capacity || bytes > mostBytes && steps.count > 1 {
      bytes -= steps.removeFirst().size
      earlier += 1
    }
  }

  /// A dispatch of the scenario itself: when it passed, its transition has been added already.
  mutating func add(_ action: String, _ payload: Value, _ outcome: Outcome, at time: Int) {
    if case .passed(let commit) = outcome, let newest = steps.last,
      case .passed(let added) = newest.outcome, added.revision == commit.revision
    {
      bytes -= newest.size
      steps[steps.count - 1].payload = flow?.shown(payload, of: action) ?? payload
      bytes += steps[steps.count - 1].size
    } else {
      add(Step(action: action, payload: payload, time: time, outcome: outcome))
    }
  }
}
