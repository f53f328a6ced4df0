#if Server
  import Metrics
  import Platform

  /// The metrics of a server, as Prometheus reads them (text format 0.0.4).
  ///
  /// swift-prometheus is not available here, and the metrics of a server of cases fit on a page. It is also a factory
  /// of swift-metrics, so that the program's own counters are exported with these.
  package final class ServerMeters: MetricsFactory, Sendable {
    private struct Name: Hashable, Comparable {
      let label: String
      let dimensions: String
      static func < (one: Name, other: Name) -> Bool {
        (one.label, one.dimensions) < (other.label, other.dimensions)
      }
    }

    private struct Answered: Hashable {
      let route: String
      let method: String
      let status: Int
      var name: Name {
        Name(
          label: "moonlatch_requests_total",
          dimensions: ServerMeters.text([
            ("method", method), ("route", route), ("status", "\(status)"),
          ]))
      }
    }

    private struct Dispatched: Hashable {
      let action: String
      let outcome: String
      var name: Name {
        Name(
          label: "moonlatch_dispatches_total",
          dimensions: ServerMeters.text([("action", action), ("outcome", outcome)]))
      }
    }

    /// A histogram: counts by upper bound, and the sum.
    private struct Times {
      var counts = Array(repeating: 0, count: ServerMeters.bounds.count + 1)
      var sum = 0.0

      mutating func add(_ seconds: Double) {
        counts[ServerMeters.bounds.firstIndex { seconds <= $0 } ?? counts.count - 1] += 1
        sum += seconds
      }
    }

    private struct State {
      // Each request adds to these; they become text only when somebody reads them.
      var answered: [Answered: Double] = [:]
      var dispatched: [Dispatched: Double] = [:]
      var requestTimes = Times()
      var appendTimes = Times()
      var counters: [Name: Double] = [:]
      var gauges: [Name: Double] = [:]
      var times: [Name: Times] = [:]
    }

    private static let bounds: [Double] = [
      0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5,
    ]
    private let state = Mutex(State())

    /// The maximum number of due cases that are counted; a longer search takes too long.
    static let mostDue = 10_000

    /// The description of each metric.
    private static let help = [
      "moonlatch_requests_total": "Requests that were answered, by method, route and status.",
      "moonlatch_request_seconds": "Seconds from a request to the beginning of its answer.",
      "moonlatch_dispatches_total": "Dispatches over HTTP, by action and outcome.",
      "moonlatch_journal_append_seconds":
        "Seconds until the journal had stored an entry, or had failed to.",
      "moonlatch_cases_awake": "Cases that are in memory.",
      "moonlatch_cases_asleep": "Cases that have not ended and are not in memory here.",
      "moonlatch_effects_running": "Effects under way in the cases that are in memory.",
      "moonlatch_effects_retrying": "Effects in cases in memory that wait for a retry.",
      "moonlatch_effects_failed_total": "Effects that did not finish, since the start.",
      "moonlatch_cases_stuck": "Cases whose timers cannot be served; they are tried again.",
      "moonlatch_cases_damaged": "Cases that could not be read when they were last asked for.",
      "moonlatch_cases_unfit": "Cases that did not fit the flow when they were last asked for.",
      "moonlatch_cases_due": "Cases with something due, 10,000 at most.",
      "moonlatch_tasks": "Tasks in the journal, by queue and state.",
      "moonlatch_task_oldest_seconds": "The age of the oldest open task of a queue, in seconds.",
      "moonlatch_notify_lag_seconds":
        "The age of the oldest commit that a notification has still to send, in seconds.",
      "moonlatch_tasks_answered_total": "Answers of tasks to this node, by capability and class.",
      "moonlatch_hooks_total": "Requests to webhooks, by webhook and class of the response.",
      "moonlatch_polls_waiting": "Claims that wait for a task at this node.",
      "moonlatch_leases_held": "Shards of a shared journal that this node serves.",
      "moonlatch_listeners": "Listeners of views.",
      "moonlatch_streams": "Streams of events that are open.",
      "process_resident_memory_bytes": "Memory of the process, in bytes.",
      "process_open_fds": "Descriptors that the process has open.",
    ]

    /// Returns the name of a metric without its dimensions.
    private static func label(_ name: String) -> String { String(name.prefix { $0 != "{" }) }

    /// Returns the name of a metric with dimensions.
    static func name(_ label: String, _ dimensions: [(String, String)]) -> String {
      label + braces(text(dimensions))
    }

    /// Counts a dispatch of a declared action, with its outcome.
    func dispatched(_ action: String, _ outcome: String) {
      state.withLock {
        $0.dispatched[Dispatched(action: action, outcome: outcome), default: 0] += 1
      }
    }

    /// Counts a request to a declared webhook, with the class of its response.
    func hooked(_ hook: String, _ kind: String) {
      let name = Name(
        label: "moonlatch_hooks_total",
        dimensions: ServerMeters.text([("hook", hook), ("class", kind)]))
      state.withLock { $0.counters[name, default: 0] += 1 }
    }

    /// Records the time until the journal stored an entry or failed.
    func appended(in time: Duration) {
      let seconds = time / .seconds(1)
      state.withLock { $0.appendTimes.add(seconds) }
    }

    /// Records a request that was answered.
    func answered(_ route: String, _ method: String, _ status: Int, in time: Duration) {
      let seconds = time / .seconds(1)
      state.withLock {
        $0.answered[Answered(route: route, method: method, status: status), default: 0] += 1
        $0.requestTimes.add(seconds)
      }
    }

    /// Returns all metrics as text, with gauges and counters that are read now.
    package func text(
      gauges now: [(name: String, value: Double)] = [],
      counters more: [(name: String, value: Double)] = []
    ) -> String {
      let state = state.withLock { $0 }
      var text = ""
      var last = ""
      func heading(_ label: String, _ kind: String) {
        if label == last { return }
        last = label
        if let help = ServerMeters.help[label] { text += "# HELP \(label) \(help)\n" }
        text += "# TYPE \(label) \(kind)\n"
      }
      let counters = state.counters.merging(
        state.answered.map { ($0.key.name, $0.value) }
          + state.dispatched.map { ($0.key.name, $0.value) }, uniquingKeysWith: +)
      for (name, value) in counters.sorted(by: { $0.key < $1.key }) {
        heading(name.label, "counter")
        text += "\(name.label)\(ServerMeters.braces(name.dimensions)) \(value)\n"
      }
      for counter in more {
        heading(ServerMeters.label(counter.name), "counter")
        text += "\(counter.name) \(counter.value)\n"
      }
      for (name, value) in state.gauges.sorted(by: { $0.key < $1.key }) {
        heading(name.label, "gauge")
        text += "\(name.label)\(ServerMeters.braces(name.dimensions)) \(value)\n"
      }
      for gauge in now {
        heading(ServerMeters.label(gauge.name), "gauge")
        text += "\(gauge.name) \(gauge.value)\n"
      }
      var allTimes = state.times
      allTimes[Name(label: "moonlatch_request_seconds", dimensions: "")] = state.requestTimes
      allTimes[Name(label: "moonlatch_journal_append_seconds", dimensions: "")] = state.appendTimes
      for (name, times) in allTimes.sorted(by: { $0.key < $1.key }) {
        heading(name.label, "histogram")
        var count = 0
        let before = name.dimensions.isEmpty ? "" : name.dimensions + ","
        for (bound, number) in zip(ServerMeters.bounds.map { "\($0)" } + ["+Inf"], times.counts) {
          count += number
          text += "\(name.label)_bucket{\(before)le=\"\(bound)\"} \(count)\n"
        }
        let braces = ServerMeters.braces(name.dimensions)
        text += "\(name.label)_sum\(braces) \(times.sum)\n\(name.label)_count\(braces) \(count)\n"
      }
      return text
    }

    private static func braces(_ text: String) -> String { text.isEmpty ? "" : "{\(text)}" }

    private static func text(_ dimensions: [(String, String)]) -> String {
      dimensions.map { name, value in
        let plain = value.map { "\\\"\n".contains($0) ? "_" : String($0) }.joined()
        return "\(sound(name))=\"\(plain)\""
      }.joined(separator: ",")
    }

    private static func sound(_ name: String) -> String {
      String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
    }

    // MARK: swift-metrics

    private final class Meter: CounterHandler, FloatingPointCounterHandler, RecorderHandler,
      MeterHandler, TimerHandler
    {
      let meters: ServerMeters
      let name: Name

      init(_ meters: ServerMeters, _ label: String, _ dimensions: [(String, String)]) {
        self.meters = meters
        name = Name(label: ServerMeters.sound(label), dimensions: ServerMeters.text(dimensions))
      }

      func increment(by amount: Int64) { increment(by: Double(amount)) }
      func increment(by amount: Double) {
        meters.state.withLock { $0.counters[name, default: 0] += amount }
      }
      func reset() { meters.state.withLock { $0.counters[name] = 0 } }
      func record(_ value: Int64) { set(Double(value)) }
      func record(_ value: Double) { set(value) }
      func set(_ value: Int64) { set(Double(value)) }
      func set(_ value: Double) { meters.state.withLock { $0.gauges[name] = value } }
      func decrement(by amount: Double) {
        meters.state.withLock { $0.gauges[name, default: 0] -= amount }
      }
      func recordNanoseconds(_ duration: Int64) {
        meters.state.withLock { $0.times[name, default: Times()].add(Double(duration) / 1e9) }
      }
    }

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
      Meter(self, label, dimensions)
    }
    package func makeFloatingPointCounter(
      label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler { Meter(self, label, dimensions) }
    package func makeRecorder(
      label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler { Meter(self, label, dimensions) }
    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
      Meter(self, label, dimensions)
    }
    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
      Meter(self, label, dimensions)
    }
    package func destroyCounter(_ handler: any CounterHandler) {}
    package func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    package func destroyMeter(_ handler: any MeterHandler) {}
    package func destroyTimer(_ handler: any TimerHandler) {}
  }
#endif
