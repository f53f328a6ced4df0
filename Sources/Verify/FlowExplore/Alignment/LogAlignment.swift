import FlowKernel
import LuaRuntime
import Scenarios

/// What there is too much of in a recorded log, and what is missing, by the runs of the flow that are nearest to its cases.
package struct LogAlignment {
  /// Where cases part from these runs, those that do so in the same way together.
  package struct Deviation {
    /// What is wrong.
    package enum Kind: Hashable, Sendable {
      /// An event that is in no such run, and why it does not pass.
      case tooMany(String, reason: String)
      /// An action that the log has not, and the event before which it belongs.
      case missing(String, before: String)
    }

    package let kind: Kind
    /// How often that is, and in how many cases.
    package fileprivate(set) var times, cases: Int
    /// The first of the cases, and the line of the event there.
    package let firstCase: String
    package let firstLine: Int
  }

  /// A number of cases that have no alignment, and the first of them.
  package struct UnalignedCases {
    package fileprivate(set) var cases: Int
    package let firstCase: String
    package let firstLine: Int
  }

  /// How messages name the log.
  let log: String
  /// So many steps are looked at for a case.
  package let steps: Int
  package let cases, variants, malformed, skipped: Int
  package private(set) var fitting = 0
  package private(set) var deviating = 0
  /// How many deviations there are in all cases.
  package private(set) var cost = 0
  /// How many events the cases have that were aligned.
  package private(set) var events = 0
  /// The most frequent first.
  package private(set) var deviations: [Deviation] = []
  /// How many there are of kinds beyond the most that are told apart.
  package private(set) var others = 0
  /// The cases that take more steps.
  package private(set) var givenUp: UnalignedCases?
  /// Those that nobody has looked at, since it was stopped, or its time was over.
  package private(set) var unseen: UnalignedCases?
  package private(set) var isStopped = false

  /// So many steps are looked at for a case, where nothing else is said.
  package static let usualSteps = 20_000
  /// So many kinds of deviations are told apart: reasons may name values, of which a log has any number.
  private static let mostKinds = 1_000

  init(
    _ flow: LoadedFlow, _ setup: ExplorationSetup, with recorded: RecordedVariants,
    named log: String,
    steps: Int, until end: SearchEnd
  ) throws {
    (self.log, self.steps) = (log, steps)
    (cases, variants) = (recorded.cases, recorded.variants.count)
    (malformed, skipped) = (recorded.malformed, recorded.skipped)
    let states = try AlignedStates(flow, setup)
    let hopeless = try recorded.events.map(states.isHopeless)
    var found: [Deviation.Kind: Deviation] = [:]
    for variant in recorded.variants {
      try states.reserve()
      do {
        if end.isDue { throw Alignment.Failure.ended }
        let events = variant.events.map { recorded.events[$0] }
        let alignment = try Alignment(
          of: events, hopeless: variant.events.map { hopeless[$0] }, in: states, steps: steps,
          until: end)
        try add(alignment, of: variant, events, states, to: &found)
      } catch Alignment.Failure.tooFar {
        LogAlignment.leave(variant, in: &givenUp)
      } catch Alignment.Failure.ended {
        LogAlignment.leave(variant, in: &unseen)
      }
    }
    isStopped = end.reason == .stopped
    deviations = found.values.sorted {
      ($1.times, $0.firstLine, $0.order) < ($0.times, $1.firstLine, $1.order)
    }
  }

  private mutating func add(
    _ alignment: Alignment, of variant: RecordedVariants.Variant,
    _ events: [RecordedVariants.Event],
    _ states: AlignedStates, to found: inout [Deviation.Kind: Deviation]
  ) throws {
    self.events += events.count * variant.cases
    cost += alignment.deviations.count * variant.cases
    if alignment.deviations.isEmpty {
      fitting += variant.cases
    } else {
      deviating += variant.cases
    }
    var known: Set<Deviation.Kind> = []
    for deviation in alignment.deviations {
      let (kind, place) =
        switch deviation {
        case .tooMany(let place, let state):
          (
            Deviation.Kind.tooMany(
              events[place].action, reason: try states.reason(against: events[place], in: state)),
            place
          )
        case .missing(let move, let place):
          (.missing(move.told["name"]?.stringValue ?? "", before: events[place].action), place)
        }
      guard found[kind] != nil || found.count < LogAlignment.mostKinds else {
        others += variant.cases
        continue
      }
      found[
        kind,
        default: Deviation(
          kind: kind, times: 0, cases: 0, firstCase: variant.firstCase,
          firstLine: variant.lines[place])
      ].times += variant.cases
      if known.insert(kind).inserted { found[kind]?.cases += variant.cases }
    }
  }

  private static func leave(_ variant: RecordedVariants.Variant, in left: inout UnalignedCases?) {
    guard left == nil else {
      left?.cases += variant.cases
      return
    }
    left = UnalignedCases(
      cases: variant.cases, firstCase: variant.firstCase, firstLine: variant.lines.first ?? 0)
  }

  /// Whether a case deviates.
  package var deviates: Bool { deviating > 0 }

  /// Whether there is something to be said of each case.
  package var isWhole: Bool { givenUp == nil && unseen == nil }

  /// Which part of the events stands in a place that the flow has for it, in thousandths: 1 less what deviates, by what
  /// would deviate if nothing were in its place.
  package var fitness: Int { events == 0 ? 1_000 : max(0, events - cost) * 1_000 / events }
}

extension LogAlignment.Deviation {
  /// Puts in order what comes as often, and first in the same line.
  fileprivate var order: String {
    switch kind {
    case .tooMany(let action, let reason): "2 \(action) \(reason)"
    case .missing(let action, let before): "1 \(action) \(before)"
    }
  }
}

// MARK: Told

extension LogAlignment {
  /// What a person reads.
  package var text: String {
    var lines = [
      "  aligned \(LogAlignment.count(cases, "case")) in \(LogAlignment.count(variants, "variant")): "
        + "\(Value.grouped(fitting)) fit\(fitting == 1 ? "s" : ""), "
        + "\(Value.grouped(deviating)) deviate\(deviating == 1 ? "s" : ""), "
        + "cost \(Value.grouped(cost)) of \(LogAlignment.count(events, "event")), fitness \(fitnessText)"
    ]
    if malformed > 0 || skipped > 0 {
      let parts = [(malformed, "malformed"), (skipped, "left out by the map")]
      lines.append(
        "  left out "
          + parts.filter { $0.0 > 0 }.map { "\(LogAlignment.count($0, "row")) \($1)" }
          .joined(separator: ", "))
    }
    lines += deviations.map(line)
    if others > 0 {
      lines.append("  and \(LogAlignment.count(others, "deviation")) more, of kinds not listed")
    }
    if let givenUp {
      lines.append(
        "  gave up  \(LogAlignment.count(givenUp.cases, "case")), not aligned within "
          + "\(LogAlignment.count(steps, "step")), first \(place(givenUp.firstCase, givenUp.firstLine))"
      )
    }
    if let unseen {
      lines.append(
        "  gave up  \(LogAlignment.count(unseen.cases, "case")), since "
          + (isStopped ? "it was stopped" : "the time was over")
          + ", first \(place(unseen.firstCase, unseen.firstLine))")
    }
    return lines.map(\.visibleLine).joined(separator: "\n") + "\n"
  }

  private func line(_ deviation: Deviation) -> String {
    let times =
      deviation.times == deviation.cases
      ? "" : "\(LogAlignment.count(deviation.times, "time")) "
    let place =
      "\(times)in \(LogAlignment.count(deviation.cases, "case")), "
      + "first \(place(deviation.firstCase, deviation.firstLine))"
    return switch deviation.kind {
    case .tooMany(let action, let reason): "  too many \(action), \(place): \(reason)"
    case .missing(let action, let before): "  missing  \(action) before \(before), \(place)"
    }
  }

  private func place(_ name: String, _ line: Int) -> String { "\(name) (\(log):\(line))" }

  private static func count(_ number: Int, _ what: String) -> String {
    "\(Value.grouped(number)) \(what)\(number == 1 ? "" : "s")"
  }

  private var fitnessText: String {
    if fitness == 1_000 { return "1" }
    return "0." + String("\(1_000 + fitness)".dropFirst())
  }
}
