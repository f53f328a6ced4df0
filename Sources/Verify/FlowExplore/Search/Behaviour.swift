import FlowKernel
import FlowLanguage
import LuaRuntime
import StateCharts

/// The observable behaviour of an action: its result, as far as a tester can distinguish it.
///
/// Two dispatches of an action show the same behaviour if machines take the same transitions and the same places are
/// written, or if the same gate refuses for the same reason.
package struct Behaviour: Hashable, Sendable {
  /// A transition of a machine.
  struct Transition: Hashable, Sendable {
    let machine: String
    /// The name that distinguishes the transition from the others of the machine.
    let name: String
    let source: String
    let target: String
    /// The innermost states that the transition enters, which may depend on history.
    let entered: [String]

    var isMove: Bool { source != target }

    /// The description without the machine: `closed to opening`, `off to on (stopped, audible)`.
    var text: String {
      let inside = entered.filter { $0.hasPrefix("\(target).") }.map {
        $0.dropFirst(target.count + 1)
      }
      return "\(source) to \(target)"
        + (inside.isEmpty ? "" : " (\(inside.joined(separator: ", ")))")
    }
  }

  /// A write to a place of the state, regardless of the values.
  struct Write: Hashable, Comparable, Sendable {
    enum Kind: Int, Sendable { case change, add, remove }

    let place: String
    let kind: Kind

    static func < (one: Write, other: Write) -> Bool {
      (one.place, one.kind.rawValue) < (other.place, other.kind.rawValue)
    }
  }

  enum Observation: Hashable, Sendable {
    case passes(transitions: [Transition], writes: [Write])
    case refused(by: String, reason: String)
  }

  let action: String
  /// True if a timer or an effect dispatches the action, which is part of the behaviour.
  let isFromQueue: Bool
  let what: Observation

  var isRefusal: Bool { if case .refused = what { true } else { false } }
  /// True if the action passes and has a visible result.
  var changesSomething: Bool {
    if case .passes(let transitions, let writes) = what {
      !transitions.isEmpty || !writes.isEmpty
    } else {
      false
    }
  }

  /// The complete description: `arrive: cabin from up to still, door from closed to opening, writes floor`.
  package var phrase: String {
    switch what {
    case .passes(let transitions, let writes):
      return text(
        transitions.map {
          $0.isMove ? "\($0.machine) from \($0.text)" : "\($0.machine) stays \($0.source)"
        } + Behaviour.text(writes), parted: transitions.isEmpty ? "" : ":")
    case .refused(let by, let reason):
      return "\(title) is refused by \(by)\(reason.isEmpty ? "" : ": \(reason)")"
    }
  }

  /// A short description for a scenario's title: `coin adds to coins`, `power takes player from off to on`.
  var gist: String {
    switch what {
    case .passes(let transitions, let writes):
      let moved = transitions.filter(\.isMove)
      if let first = moved.first {
        return "\(title) takes \(first.machine) from \(first.text)"
      }
      return text(
        writes.isEmpty
          ? transitions.map { "keeps \($0.machine) \($0.source)" } : Behaviour.text(writes))
    case .refused(let by, let reason):
      return reason.hasPrefix("\(action) is ") ? reason : "\(title) is refused by \(by)"
    }
  }

  private var title: String { isFromQueue ? "\(action) by itself" : action }

  private func text(_ parts: [String], parted sign: String = "") -> String {
    parts.isEmpty
      ? "\(title) changes nothing" : "\(title)\(sign) \(parts.joined(separator: ", "))"
  }

  private static func text(_ writes: [Write]) -> [String] {
    let words: [(Write.Kind, String)] = [
      (.change, "writes"), (.add, "adds to"), (.remove, "removes from"),
    ]
    return words.compactMap { kind, word in
      let places = writes.filter { $0.kind == kind }.map(\.place)
      return places.isEmpty ? nil : "\(word) \(places.joined(separator: " and "))"
    }
  }
}

/// A reader that derives behaviours from outcomes.
final class BehaviourReader {
  private let flow: Flow
  private let shape: StateShape
  private let machineFields: Set<String>
  private var transitionNames: [Int: [String?]] = [:]

  init(_ flow: Flow) {
    self.flow = flow
    shape = .record(Dictionary(flow.fields.map { ($0.name, $0.shape) }) { first, _ in first })
    machineFields = Set(
      flow.machines.flatMap { $0.chart.regions.compactMap(\.field) })
  }

  /// Returns the behaviour of an outcome.
  ///
  /// - Returns: nil if the action failed, which is a fault of the flow.
  func behaviour(
    _ outcome: Outcome, _ steps: [MicrostepRecord], isFromQueue: Bool
  ) -> Behaviour? {
    switch outcome {
    case .passed(let commit):
      return Behaviour(
        action: commit.action, isFromQueue: isFromQueue,
        what: .passes(transitions: transitions(steps), writes: writes(commit.writes)))
    case .refused(let refusal):
      return Behaviour(
        action: refusal.action, isFromQueue: isFromQueue,
        what: .refused(by: "\(refusal.rejectedBy)", reason: BehaviourReader.reason(refusal)))
    case .failed: return nil
    }
  }

  private func transitions(_ steps: [MicrostepRecord]) -> [Behaviour.Transition] {
    var known: Set<Behaviour.Transition> = []
    return steps.flatMap { step in
      step.transitions.map { transition(step.machine, Int($0), step.entered) }
    }.filter { known.insert($0).inserted }
  }

  private func transition(
    _ number: Int, _ transition: Int, _ entered: [Chart.StateNumber]
  ) -> Behaviour.Transition {
    let machine = flow.machines[number]
    if transitionNames[number] == nil { transitionNames[number] = machine.transitionNames }
    let names = transitionNames[number] ?? []
    let taken = machine.compiled.transition(CompiledChart.TransitionNumber(transition))
    func path(_ state: Chart.StateNumber) -> String {
      state == 0 ? machine.name : machine.chart.states[Int(state)].path
    }
    let targets = taken.targets.isEmpty ? [taken.source] : taken.targets
    return Behaviour.Transition(
      machine: machine.name,
      name: names.indices.contains(transition) ? names[transition] ?? "" : "",
      source: path(taken.source), target: targets.map(path).joined(separator: " and "),
      entered: entered.filter {
        [.atomic, .final].contains(machine.chart.states[Int($0)].kind)
      }.map(path))
  }

  /// Returns the writes except those to machine fields, which follow from the transitions.
  private func writes(_ patch: Patch) -> [Behaviour.Write] {
    var writes: Set<Behaviour.Write> = []
    for change in patch.changes {
      let (place, isElement) = self.place(change.path)
      if let place {
        writes.insert(
          Behaviour.Write(place: place, kind: BehaviourReader.kind(change, isElement: isElement)))
      }
    }
    return writes.sorted()
  }

  private static func kind(
    _ change: Patch.Change, isElement: Bool
  ) -> Behaviour.Write.Kind {
    guard isElement else { return .change }
    switch change.operation {
    case .insert: return .add
    case .remove: return .remove
    case .set: return change.old.isNil ? .add : change.new.isNil ? .remove : .change
    }
  }

  /// Returns the declared name of a place, without the keys of lists and maps.
  ///
  /// - Returns: the name, nil for a machine's field; true if the place is an element of a list or map.
  private func place(_ path: StatePath) -> (String?, isElement: Bool) {
    var text = ""
    var shape = shape
    for (number, key) in path.keys.enumerated() {
      let isLast = number == path.keys.count - 1
      switch (shape, key) {
      case (.list(let elements), _), (.map(let elements), _):
        if isLast { return (text, true) }
        shape = elements.first ?? .any
      case (.record(let fields), .field(let name)):
        if isLast, machineFields.contains(name) { return (nil, false) }
        text += text.isEmpty ? name : ".\(name)"
        shape = fields[name] ?? .any
      case (_, .field(let name)):
        if isLast, machineFields.contains(name) { return (nil, false) }
        text += text.isEmpty ? name : ".\(name)"
        shape = .any
      case (_, .index): return (text, isLast)
      }
    }
    return (text, false)
  }

  /// Returns the reason of a refusal with its numbers masked.
  private static func reason(_ refusal: Refusal) -> String {
    var masked = ""
    for character in refusal.lastingReason ?? "" {
      if !character.isNumber {
        masked.append(character)
      } else if masked.last != "#" {
        masked.append("#")
      }
    }
    return masked
  }
}
