import DequeModule
import FlowKernel
import FlowLanguage
import LuaRuntime

/// One dispatch of a scenario, or an action from the queue.
package struct Step: Sendable {
  /// The action's name.
  package let action: String
  /// The payload; nil for an action from the queue with an empty payload.
  package var payload: Value?
  /// True if an effect or a timer has dispatched the action.
  package var isFromQueue = false
  /// The time of the dispatch, in microseconds since the host began.
  package var time: Int?
  /// The outcome of the dispatch.
  package var outcome: Outcome
  /// A sentence about the timer of a state that is spent with the dispatch.
  package var spent: String?
  /// The microsteps of machines in the dispatch, if they are recorded.
  package internal(set) var machineSteps: [MicrostepRecord] = []
  /// The transitions that machines with nested states took.
  package private(set) var transitions: [String] = []
  /// The triggers that moved regions without an action, by the paths of their fields.
  package private(set) var eventless: [String: String] = [:]

  /// Returns the step with the names of the transitions in its microsteps.
  func told(of flow: Flow) -> Step {
    var step = self
    (step.transitions, step.eventless) = (
      flow.transitions(in: machineSteps), flow.eventless(in: machineSteps)
    )
    return step
  }
}

extension Step {
  /// The approximate size in bytes.
  fileprivate var size: Int {
    let passed = if case .passed(let commit) = outcome { commit.size } else { 0 }
    return 200 + passed + (payload?.size ?? 0)
  }
}

/// The last steps of a scenario, limited in number and in bytes, since a scenario may make millions.
struct Timeline {
  private var steps: Deque<Step> = []
  private var bytes = 0
  /// The number of steps that were dropped.
  private(set) var earlier = 0
  private let capacity: Int
  private let mostBytes: Int
  /// The flow, which says which parts of payloads may be shown.
  private let flow: Flow?

  init(capacity: Int, bytes: Int, of flow: Flow? = nil) {
    (self.capacity, mostBytes, self.flow) = (capacity, bytes, flow)
  }

  /// The steps, oldest first.
  var latest: [Step] { Array(steps) }

  mutating func add(_ step: Step) {
    var step = step
    if let flow, let payload = step.payload {
      let shown = flow.shown(payload, of: step.action)
      step.payload = step.isFromQueue && shown.isEmptyTable ? nil : shown
    }
    steps.append(step)
    bytes += step.size
    // The newest step stays, however large it is.
    while steps.count > capacity || bytes > mostBytes && steps.count > 1 {
      bytes -= steps.removeFirst().size
      earlier += 1
    }
  }

  /// Adds a dispatch of the scenario itself, or sets its payload if its commit has been added already.
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
