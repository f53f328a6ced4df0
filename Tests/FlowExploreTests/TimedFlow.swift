import FlowKernel

/// A random flow with machines whose timers are due at different times or at the same time.
struct TimedFlow {
  private var random: SeededRandom
  /// The flow, and the options with which it is explored.
  private(set) var text = ""
  private(set) var options = ""
  private var all: [String] = []

  init(seed: UInt64) {
    random = SeededRandom(seed: seed)
    let count = 2 + below(2)
    var lines = ["state { first = 0, n = 1, waits = false }", "action.all {}"]
    for number in 1...count { lines += machine(number) }
    lines += [
      "action.clear {}",
      "function gate.clear(s) return s.first > 0, \"nobody was first\" end",
      "function reduce.clear(s) s.first = 0; s.n = s.n % 3 + 1 end",
    ]
    if below(3) == 0 { lines += effect() }
    if below(3) == 0 {
      lines.append(
        "gatekeeper.key { go1 = { attempt = \"shut\" }, clear = { reset = \"shut\" }, "
          + "go2 = { unless = \"shut\" } }")
    }
    if below(4) == 0 { options = "time = { up_to = \(4 + below(4)), step = \(2 + below(2)) }" }
    text = lines.joined(separator: "\n")
  }

  private mutating func below(_ count: Int) -> Int { Int(random.next() >> 1) % count }

  private mutating func delay() -> Int { 2 + below(3) }

  private mutating func machine(_ number: Int) -> [String] {
    let (go, stop, end, other) = (
      "go\(number)", "stop\(number)", "end\(number)", "other\(number)"
    )
    var lines =
      [go, stop].map { "action.\($0) {}" } + ["internal.\(end) {}", "internal.\(other) {}"]
    lines += [end, other].map {
      "function reduce.\($0)(s) if s.first == 0 then s.first = \(number) end end"
    }
    let back = "\(stop) = \"idle\", \(end) = \"idle\", \(other) = \"idle\""
    let busy: String =
      switch below(8) {
      case 0: "{ after = { { \(delay()), \"idle\" } }, \(stop) = \"idle\" }"
      case 1: "{ after = { \(end) = function(s) return s.n + 1 end }, \(back) }"
      case 2: "{ every = { \(end) = \(delay()) }, \(stop) = \"idle\", \(end) = true }"
      case 3:
        "{ initial = \"a\", after = { \(end) = \(delay()) }, \(back), a = { after = { { \(delay()), \"b\" } } }, "
          + "b = { \(go) = \"a\", every = { \(other) = \(delay()) } } }"
      case 4:
        "{ after = { \(end) = \(delay()) }, \(back), "
          + "\(go) = { to = \"busy\", reenter = true } }"
      case 5: "{ after = { \(end) = 3, \(other) = 3 }, \(back) }"
      case 6:
        "{ parallel = { \"x\(number)\", \"y\(number)\" }, \(stop) = \"idle\", "
          + "x\(number) = { initial = \"xx1\", xx1 = { after = { { \(delay()), \"xx2\" } } }, xx2 = { \(go) = \"xx1\" } }, "
          + "y\(number) = { initial = \"yy1\", yy1 = { after = { \(end) = \(delay()) }, \(end) = \"yy2\" }, yy2 = { \(go) = \"yy1\" } } }"
      default: "{ after = { \(end) = \(delay()) }, \(back) }"
      }
    lines.append(
      "machine.m\(number) { initial = \"idle\", idle = { \(go) = \"busy\", all = \"busy\" }, busy = \(busy) }"
    )
    return lines
  }

  /// An effect that sets a timer, which other timers may be due together with.
  private mutating func effect() -> [String] {
    [
      "action.ping {}", "internal.pong {}",
      "function gate.ping(s) return not s.waits, \"it waits\" end",
      "function reduce.ping(s) s.waits = true end",
      "function effect.ping() after(\(delay()), \"pong\") end",
      "function reduce.pong(s) s.waits = false; if s.first == 0 then s.first = 9 end end",
    ]
  }
}
