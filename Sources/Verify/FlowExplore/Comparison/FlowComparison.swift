import CExplore
import FlowLanguage
import LuaRuntime

/// A comparison of two versions of a flow, as far as both follow the same moves.
package struct FlowComparison {
  /// An observable difference between the two versions.
  package struct Difference {
    /// The message, a sentence.
    package let sentence: String
    /// The subject of the difference, in a form that is suitable for a file name.
    package let name: String
    /// The shortest steps that show the difference, one string each.
    package let steps: [String]
    /// A scenario that expects the behaviour of the old flow.
    let scenario: Counterexample?

    /// Returns the scenario file, which fails for the new flow.
    ///
    /// - Parameter flow: the path of the new flow's file, as the scenario file refers to it.
    package func text(flow: String) -> String? {
      scenario?.text(
        flow: flow, title: sentence,
        about: "It expects what the old flow does, in the fewest steps that show the difference.")
    }
  }

  /// The number of pairs of states that were compared.
  package private(set) var pairs = 0
  /// True if both flows were explored completely, so that there are no more pairs.
  package let isWhole: Bool
  /// The actions that only one of the flows declares.
  package let onlyOld, onlyNew: [String]
  /// The differences in the order of their distance, the first of each kind and action.
  package private(set) var differences: [Difference] = []

  /// True if the flows differ.
  package var differs: Bool { !differences.isEmpty || !onlyOld.isEmpty || !onlyNew.isEmpty }

  private let new, old: ComparedStates
  private let oldName: String
  private var known: Set<String> = []
  private var paths: [(pair: Pair, parent: Int, edge: explore_edge?)] = []
  private var numbers: Set<Pair> = []

  private struct Pair: Hashable {
    let new, old: UInt32
  }

  /// The maximum number of differences in the report.
  private static let most = 20

  /// Compares two flows.
  ///
  /// - Parameter oldName: the name of the old flow in messages.
  package init(of new: ExploredStates, with old: ExploredStates, named oldName: String) throws {
    self.oldName = oldName
    let names = { (states: ExploredStates) in Set(states.session.flow.flow.actions.map(\.name)) }
    let (newNames, oldNames) = (names(new), names(old))
    (onlyNew, onlyOld) = (
      newNames.subtracting(oldNames).sorted(), oldNames.subtracting(newNames).sorted()
    )
    isWhole = new.ending == .whole && old.ending == .whole
    let shared = newNames.intersection(oldNames)
    let places = SharedPlaces(new.session.flow.flow, old.session.flow.flow)
    self.new = ComparedStates(new.session, actions: shared, places)
    self.old = ComparedStates(old.session, actions: shared, places)
    let oldBeginnings = self.old.beginnings
    for (given, state) in self.new.beginnings.sorted(by: { $0.key < $1.key }) {
      guard let second = oldBeginnings[given] else { continue }
      try add(Pair(new: state, old: second), parent: -1, by: nil)
    }
    var next = 0
    while next < paths.count, differences.count < FlowComparison.most {
      try expandPair(from: next)
      next += 1
    }
    pairs = numbers.count
  }

  private mutating func add(_ pair: Pair, parent: Int, by edge: explore_edge?) throws {
    guard numbers.insert(pair).inserted else { return }
    paths.append((pair, parent, edge))
    try comparePlaces(of: paths.count - 1)
  }

  /// Reports the first place that differs in a pair of states; such a pair is not expanded.
  private mutating func comparePlaces(of path: Int) throws {
    let pair = paths[path].pair
    let (there, here) = (old.shared(pair.old), new.shared(pair.new))
    if there == here { return }
    guard let change = there.leaves(changedTo: here).first else { return }
    paths[path].pair = Pair(new: EXPLORE_NONE, old: EXPLORE_NONE)
    let place = change.path.description
    let name = "differs.\(change.path.keys.first?.value.stringValue ?? place)"
    guard known.insert(name).inserted else { return }
    func text(_ value: Value) -> String { value.isNil ? "none" : value.source }
    try addDifference(
      "\(place) is \(text(change.old)) in \(oldName), and \(text(change.new)) now", name: name,
      path: path, last: nil
    ) { scenario in
      scenario.add(["expect { \(Value.key(place)) = \(text(change.old)) }"])
    }
  }

  private mutating func expandPair(from path: Int) throws {
    let pair = paths[path].pair
    let oldName = oldName
    guard new.isExpanded(pair.new), old.isExpanded(pair.old) else { return }
    let (here, there) = (try new.edges(from: pair.new), try old.edges(from: pair.old))
    for (label, edge) in here.sorted {
      if let other = there.byLabel[label] {
        if case .time = label.move, try compareTimes(of: path, edge, other) { continue }
        if edge.state == EXPLORE_NONE || other.state == EXPLORE_NONE { continue }
        try add(Pair(new: edge.state, old: other.state), parent: path, by: edge)
      } else if let why = try old.refusal(of: label, in: pair.old) {
        try compareVerdicts("passes", label, path) { title in
          "\(title) passes, but not in \(oldName): there \(why)"
        }
      }
    }
    for (label, _) in there.sorted where here.byLabel[label] == nil {
      guard let why = try new.refusal(of: label, in: pair.new) else { continue }
      try compareVerdicts("refused", label, path) { title in
        "\(title) does not pass, but it does in \(oldName): now \(why)"
      }
    }
  }

  /// Reports if time advances by different delays in the two flows; returns true if so.
  private mutating func compareTimes(
    of path: Int, _ edge: explore_edge, _ other: explore_edge
  ) throws -> Bool {
    let pair = paths[path].pair
    let (here, there) = (new.delay(in: pair.new), old.delay(in: pair.old))
    if here == there { return false }
    guard known.insert("time").inserted else { return true }
    let sentence =
      "the next due time is after \(DurationText.text(microseconds: here)), in \(oldName) after "
      + DurationText.text(microseconds: there)
    // After the shorter delay, only one of the flows has changed.
    let isOld = there < here
    let change: LeafChange? =
      isOld
      ? old.change(from: pair.old, to: other.state) : new.change(from: pair.new, to: edge.state)
    try addDifference(sentence, name: "time", path: path, last: nil) { scenario in
      scenario.add([Counterexample.advance(min(here, there))])
      guard let change else { return scenario.addFailure(sentence) }
      let value = isOld ? change.new : change.old
      scenario.add([
        "expect { \(Value.key(change.path.description)) = \(value.isNil ? "none" : value.source) }"
      ])
    }
    return true
  }

  private mutating func compareVerdicts(
    _ kind: String, _ label: ComparedStates.Label, _ path: Int, _ sentence: (String) -> String
  ) throws {
    let name = "\(kind).\(label.name)"
    guard known.insert(name).inserted else { return }
    let said = sentence(label.title)
    let pair = paths[path].pair
    let new = new
    try addDifference(said, name: name, path: path, last: label.title) { scenario in
      new.session.values(of: pair.new).withUnsafeBufferPointer { values in
        scenario.note(new.session.effects(in: pair.new) + new.session.silentEffects, [])
        switch label.move {
        case .action(let name, let payload):
          let verb = kind == "passes" ? "refuse" : "pass"
          scenario.add([Counterexample.call(verb, name, payload)])
        case .end, .time: scenario.addFailure(said)
        }
      }
    }
  }

  /// Adds a difference: its path is one of the new flow, and the expectation at the end is that of the old flow.
  private mutating func addDifference(
    _ sentence: String, name: String, path: Int, last: String?,
    expecting: (inout Counterexample) -> Void
  ) throws {
    guard differences.count < FlowComparison.most else { return }
    var legs: [(state: UInt32, edge: explore_edge)] = []
    var at = path
    while paths.indices.contains(paths[at].parent) {
      guard let edge = paths[at].edge else { break }
      at = paths[at].parent
      legs.append((paths[at].pair.new, edge))
    }
    legs.reverse()
    let session = new.session
    var scenario = Counterexample()
    let first = paths[at].pair.new
    if first != EXPLORE_NONE { scenario.addBeginning(of: first, session) }
    for leg in legs { scenario.add(leg.edge.mover, leg.edge.outcomes, in: leg.state, session) }
    expecting(&scenario)
    scenario.open()
    var steps = legs.map { session.title($0.edge.mover, in: $0.state) }
    if first != EXPLORE_NONE, let part = session.given(before: first), part != [:] {
      steps.insert("given \(part)", at: 0)
    }
    differences.append(
      Difference(
        sentence: sentence, name: name, steps: steps + [last].compactMap { $0 }, scenario: scenario)
    )
  }

  /// The comparison as text for people.
  package var text: String {
    var lines = onlyOld.map { "  differs action \($0) is only in \(oldName)" }
    lines += onlyNew.map { "  differs action \($0) is not in \(oldName)" }
    for difference in differences {
      lines.append("  differs \(difference.sentence)")
      lines += ExplorationReport.numbered(difference.steps)
    }
    if differences.count >= FlowComparison.most {
      lines.append("  There may be more differences: the first \(FlowComparison.most) are listed.")
    }
    if !differs {
      lines.append(
        "  same    no difference from \(oldName) in \(Value.grouped(pairs)) "
          + "pair\(pairs == 1 ? "" : "s") of states\(isWhole ? "" : " so far")")
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
