import FlowKernel
import LuaRuntime
import Scenarios

/// An alignment of a recorded log: its surplus and missing events, by optimal alignments of its cases.
package struct LogAlignment {
  /// A deviation of cases from their runs; equal deviations are counted together.
  package struct Deviation {
    /// The kind of a deviation.
    package enum Kind: Hashable, Sendable {
      /// A surplus event, which is in no optimal run, and the reason why it does not pass.
      case tooMany(String, reason: String)
      /// A missing action, and the event before which it belongs.
      case missing(String, before: String)
    }

    package let kind: Kind
    /// The number of occurrences, and the number of cases with this deviation.
    package fileprivate(set) var times, cases: Int
    /// The first case with this deviation, and the line of the event in the log.
    package let firstCase: String
    package let firstLine: Int
  }

  /// A number of cases that have no alignment, and the first of them.
  package struct UnalignedCases {
    package fileprivate(set) var cases: Int
    package let firstCase: String
    package let firstLine: Int
  }

  /// The name of the log in messages.
  let log: String
  /// The maximum number of search steps for a case.
  package let steps: Int
  package let cases, variants, malformed, skipped: Int
  package private(set) var fitting = 0
  package private(set) var deviating = 0
  /// The number of deviations in all cases.
  package private(set) var cost = 0
  /// The number of events in the aligned cases.
  package private(set) var events = 0
  /// The deviations, the most frequent first.
  package private(set) var deviations: [Deviation] = []
  /// The number of deviations whose kinds are not listed, because there are too many kinds.
  package private(set) var others = 0
  /// The cases whose alignment needs more than `steps` search steps.
  package private(set) var givenUp: UnalignedCases?
  /// The cases that were not aligned, because the search was stopped or out of time.
  package private(set) var unseen: UnalignedCases?
  package private(set) var isStopped = false

  /// The default maximum number of search steps for a case.
  package static let usualSteps = 20_000
  /// The maximum number of kinds that are listed: reasons may contain values, of which a log has any number.
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

  /// True if a case deviates.
  package var deviates: Bool { deviating > 0 }

  /// True if every case was aligned.
  package var isWhole: Bool { givenUp == nil && unseen == nil }

  /// The fitness of the log in thousandths: 1 minus the number of deviations divided by the number of events.
  ///
  /// The number of events is the number of deviations that there would be if no event were in its place.
  package var fitness: Int { events == 0 ? 1_000 : max(0, events - cost) * 1_000 / events }
}

extension LogAlignment.Deviation {
  /// A sort key for deviations that are equally frequent and begin in the same line.
  fileprivate var order: String {
    switch kind {
    case .tooMany(let action, let reason): "2 \(action) \(reason)"
    case .missing(let action, let before): "1 \(action) \(before)"
    }
  }
}

// MARK: Text

extension LogAlignment {
  /// The alignment as text for people.
  package var text: String {
    var lines = [
      "  aligned \(LogAlignment.count(cases, "case")) in \(LogAlignment.count(variants, "variant")): "
        + "\(Value.grouped(fitting)) fit\(fitting == 1 ? "s" : ""), "
        + "\(Value.grouped(deviating)) deviate\(deviating == 1 ? "s" : ""), "
        + "cost \(Value.grouped(cost)) of \(LogAlignment.count(events, "event")), fitness \(fitnessText)"
    ]
    if malformed > 0 || skipped > 0 {
      let parts = [(malformed, "malformed"), (skipped, "by the map")]
      lines.append(
        "  skipped  "
          + parts.filter { $0.0 > 0 }.map { "\(LogAlignment.count($0, "row")) \($1)" }
          .joined(separator: ", "))
    }
    lines += deviations.map(line)
    if others > 0 {
      lines.append("  and \(LogAlignment.count(others, "more deviation")) of kinds not listed")
    }
    if let givenUp {
      lines.append(
        "  gave up  \(LogAlignment.count(givenUp.cases, "case")), not aligned within "
          + "\(LogAlignment.count(steps, "step")), first \(place(givenUp.firstCase, givenUp.firstLine))"
      )
    }
    if let unseen {
      lines.append(
        "  gave up  \(LogAlignment.count(unseen.cases, "case")), because "
          + (isStopped ? "it was stopped" : "the time limit was reached")
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
