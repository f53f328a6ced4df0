import Bench
import Moonlatch

/// Machines that flip to and fro by one event with a guard and a reducer: flat ones, and such as have more
/// to choose from or to do.
public enum MachineFlows: CaseIterable, Sendable {
  case flat
  /// The two states stand inside five others.
  case deep
  /// Three regions side by side, one of which takes the event.
  case oneOfThree
  /// Three regions side by side, all of which take it.
  case allThree
  /// Each event leads to where `always` leads on.
  case round
  /// The same, on a condition that reads what the event has written.
  case readingRound
  /// Each event leads to a state with a condition of `always` that it does not touch.
  case historyValues
  /// Beside the flat machine stands one with a condition of `always` that the event does not touch.
  case untouched
  /// The flat machine, whose event has a payload that is another one each time.
  case withPayload
  /// A machine for each of ten records, whose functions use their record; the event names each in turn.
  case tenRecords
  /// The same for ten of 100,000.
  case records
  /// The same for ten of 10,000, in a state around whose timer goes on.
  case pendingTimers
  /// The same for ten records, each of which has a timer that the event sets anew.
  case tenTimers
  /// The same for ten of 10,000.
  case recordTimers

  /// The name of the measurement.
  public var name: String {
    switch self {
    case .flat: "a machine event with guard and reducer"
    case .deep: "the event, its states inside five others"
    case .oneOfThree: "the event, one of three regions moves"
    case .allThree: "the event, all three regions move"
    case .round: "the event, followed by a round of `always`"
    case .readingRound: "the event, then a round that reads what it wrote"
    case .historyValues: "the event, into an `always` that is not due"
    case .untouched: "the event, beside an `always` that it does not touch"
    case .withPayload: "the event, its payload another one each time"
    case .tenRecords: "the event of a record's machine"
    case .records: "the event of 1 of 100,000 records' machines"
    case .pendingTimers: "the event, 10,000 timers of records pending"
    case .tenTimers: "the event of a record that sets its timer anew"
    case .recordTimers: "the event of 1 of 10,000 that sets its timer anew"
    }
  }

  /// The flow to compare with, and the most that this one may cost, as a multiple.
  ///
  /// A round of `always` is a second microstep, with its own choice and its own write of the machine's field. The other two
  /// limits of `always` are above the difference between two runs of one flow.
  public var limit: (against: MachineFlows, times: Double)? {
    switch self {
    case .flat, .withPayload, .tenTimers: nil
    case .deep: (.flat, 1.08)
    case .oneOfThree: (.flat, 1.4)
    case .allThree: (.flat, 2.2)
    case .round, .readingRound: (.flat, 2.2)
    case .historyValues: (.flat, 1.2)
    case .untouched: (.flat, 1.15)
    case .tenRecords: (.flat, 1.5)
    case .records: (.tenRecords, 1.2)
    case .pendingTimers: (.tenRecords, 1.5)
    case .recordTimers: (.tenTimers, 1.5)
    }
  }

  /// The flow.
  public var source: String {
    if isOfRecords { return recordsSource }
    return """
      state { count = 0 }
      action.flip { \(self == .withPayload ? "id = integer" : "") }
      \(more)
      local function fine(s, a)
        return s.count >= 0, "the count is negative"
      end
      \(machine)
      function reduce.flip(s, a)
        s.count = s.count + 1
      end
      """
  }

  /// The flow of a machine for records: what the flat one does to the state, it does to its record.
  private var recordsSource: String {
    let timer = self == .tenTimers || self == .recordTimers ? ", after = { flip = 1000 }" : ""
    let states = """
      initial = "left",
      left = { flip = { to = "right", when = fine, reduce = count }\(timer) },
      right = { flip = { to = "left", when = fine, reduce = count }\(timer) },
      """
    let around =
      "initial = \"on\", on = { after = { stop = 1000 }, stop = \"off\", \(states) }, off = {},"
    return """
      state { players = map {} }
      action.flip { id = integer }
      action.stop { id = integer }
      action.fill { from = integer, to = integer }
      local function fine(s, a, it)
        return it.count >= 0, "the count is negative"
      end
      local function count(s, a, it)
        it.count = it.count + 1
      end
      machine.side { each = "players", which = "id", \(self == .pendingTimers ? around : states) }
      function reduce.fill(s, a)
        for id = a.from, a.to do s.players[id] = { count = 0 } end
      end
      """
  }

  /// Further declarations of the flow.
  private var more: String {
    switch self {
    case .flat, .deep, .allThree, .readingRound: ""
    case .oneOfThree: "action.other {}"
    case .round, .historyValues, .untouched: "state { level = 0 }"
    case .withPayload, .tenRecords, .records, .pendingTimers, .tenTimers, .recordTimers: ""
    }
  }

  private static let flipping = """
    initial = "left",
    left = { flip = { to = "right", when = fine } },
    right = { flip = { to = "left", when = fine } },
    """

  private var machine: String {
    let flipping = MachineFlows.flipping
    let other = flipping.replacing("flip", with: "other")
    switch self {
    case .flat, .withPayload: return "machine.side { \(flipping) }"
    case .deep:
      return "machine.side { "
        + (1...5).map { "initial = \"level\($0)\", level\($0) = { " }.joined() + flipping
        + String(repeating: " }", count: 5) + " }"
    case .oneOfThree:
      return "machine.side { parallel = { \"one\", \"two\", \"three\" }, one = { \(flipping) }, "
        + "two = { \(other) }, three = { \(other) } }"
    case .allThree:
      return "machine.side { parallel = { \"one\", \"two\", \"three\" }, one = { \(flipping) }, "
        + "two = { \(flipping) }, three = { \(flipping) } }"
    case .round, .readingRound:
      return """
        local function led(s) return \(self == .round ? "s.level == 0" : "s.count >= 0") end
        machine.side {
          initial = "left",
          left = { flip = { to = "to_right", when = fine } },
          to_right = { always = { to = "right", when = led } },
          right = { flip = { to = "to_left", when = fine } },
          to_left = { always = { to = "left", when = led } },
        }
        """
    case .historyValues:
      return """
        local function led(s) return s.level > 0 end
        machine.side {
          initial = "left",
          left = { flip = { to = "right", when = fine }, always = { to = "high", when = led } },
          right = { flip = { to = "left", when = fine }, always = { to = "high", when = led } },
          high = {},
        }
        """
    case .untouched:
      return """
        machine.side { \(flipping) }
        machine.watch {
          initial = "calm",
          calm = { always = { to = "wild", when = function(s) return s.level > 10 end } },
          wild = { always = { to = "calm", when = function(s) return s.level < 5 end } },
        }
        """
    case .tenRecords, .records, .pendingTimers, .tenTimers, .recordTimers: return ""
    }
  }

  private var records: Int {
    switch self {
    case .flat, .deep, .oneOfThree, .allThree, .round, .readingRound, .historyValues, .untouched,
      .withPayload:
      0
    case .tenRecords, .tenTimers: 10
    case .records: 100_000
    case .pendingTimers, .recordTimers: 10_000
    }
  }

  private var isOfRecords: Bool { records > 0 }

  /// Dispatches the event, to ten records in turn where it is one of records.
  public func candidate(perRound: Int) throws -> Stopwatch.Candidate {
    let host = try FlowHost(source: source, options: HostOptions(clock: .virtual))
    for begin in stride(from: 1, through: records, by: 1_000) {
      let last = min(begin + 999, records)
      let outcome = try host.dispatch("fill", ["from": .integer(begin), "to": .integer(last)])
      try WrongResult.unless(outcome.isPassed, "\(outcome)")
    }
    let payloads: [Value] =
      isOfRecords || self == .withPayload
      ? (0..<10).map { ["id": .integer(1 + $0 * max(records, 10) / 10)] } : [[:]]
    return Stopwatch.Candidate(name: name, count: perRound) { count in
      let before = try host.revision
      for i in 0..<count { try host.dispatch("flip", payloads[i % payloads.count]) }
      try WrongResult.unless(
        try host.revision == before + count, "an action did not pass: \(name)")
    }
  }

  /// A flow whose machine has 1,000 states, five inside each other, each with two ways.
  public static let thousandStates: String = {
    var text =
      "state {}\naction.go {}\naction.back {}\nmachine.big {\n  initial = \"b1\", back = \"b1\",\n"
    for branch in 1...200 {
      let next = "b\(branch % 200 + 1)"
      let transition = "go = \"\(next)\", back = \"b1\""
      text +=
        "  b\(branch) = { initial = \"x\", \(transition),\n    x = { initial = \"y\", \(transition), y = { "
      text +=
        "initial = \"u\", \(transition), u = { \(transition) }, v = { \(transition) } } } },\n"
    }
    return text + "}\n"
  }()
}
