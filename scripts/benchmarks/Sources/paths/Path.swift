import Bench
import Moonlatch
import Workloads

/// Something that users do often.
struct Path: Sendable {
  let name: String
  /// How many times tell what one takes.
  var times = 1_000
  /// Makes what is needed, and gives what does the work a number of times.
  let prepare: @Sendable () throws -> (Int) throws -> Void

  static let all = own + Workload.all.map(workload)

  private static let own: [Path] = [
    dispatch("counter", Flows.counter, [("increment", [:])]),
    batch("batch", Flows.counter, [("increment", [:])]),
    dispatch("slices", Flows.slices, (1...10).map { ("increment\($0)", [:]) }),
    dispatch("machine", Flows.machine, [("flip", [:])]),
    dispatch("regions", MachineFlows.oneOfThree.source, [("flip", [:])]),
    dispatch("beside", MachineFlows.untouched.source, [("flip", [:])]),
    dispatch("remembered", MachineFlows.historyValues.source, [("flip", [:])]),
    dispatch("round", MachineFlows.readingRound.source, [("flip", [:])]),
    dispatch("gatekeeper", Flows.gatekeeper, [("take", [:]), ("give", [:])]),
    // One that is equal to the one before is not made again: people's payloads differ.
    dispatch(
      "payload", Flows.payload,
      [("add", ["amount": 3, "note": "three"]), ("add", ["amount": 4, "note": "four"])]),
    dispatch("toggle", Flows.toggle, (1...10).map { ("toggle", ["index": .integer($0)]) }),
    dispatch("views", Flows.views, [("increment", [:])], watching: ["shown"]),
    dispatch(
      "hundredviews", Flows.hundredViews, [("increment", [:])],
      watching: ["shown"] + (1..<100).map { "view\($0)" }),
    dispatch("effect", Flows.effect, [("increment", [:])]),
    dispatch("scoped", Flows.scoped, [("increment", [:])]),
    dispatch("refused", Flows.refused, [("increment", [:])], passes: false),
    Path(name: "host") {
      let flow = try LoadedFlow(source: Flows.machine)
      return { count in
        for _ in 0..<count { _ = try FlowHost(flow, options: HostOptions(clock: .virtual)) }
      }
    },
    Path(name: "suspend", times: 500) {
      let host = try standing()
      return { count in
        for _ in 0..<count { _ = try host.snapshot() }
      }
    },
    Path(name: "restart", times: 500) {
      let (flow, snapshot) = (try LoadedFlow(source: Flows.order), try standing().snapshot())
      return { count in
        for _ in 0..<count { try settled(FlowHost(flow, restoring: snapshot, options: options)) }
      }
    },
    Path(name: "undo", times: 500) {
      let host = try standing()
      return { count in
        for _ in 0..<count {
          try host.undo()
          try host.redo()
        }
        try settled(host)
      }
    },
    Path(name: "reload", times: 500) {
      let (flow, host) = (try LoadedFlow(source: Flows.order), try standing())
      return { count in
        for _ in 0..<count { _ = try host.reload(to: flow) }
        try settled(host)
      }
    },
    Path(name: "load") {
      { count in
        for _ in 0..<count { _ = try LoadedFlow(source: Flows.machine) }
      }
    },
  ]

  private static let options = HostOptions(clock: .virtual, report: { _ in })

  /// An order of twelve lines that waits for its payment, with a timer, a held passage and a durable effect.
  private static func standing() throws -> FlowHost {
    let host = try FlowHost(source: Flows.order, options: options)
    for line in 1...12 {
      let added = try host.dispatch("add", ["product": .string("product \(line)"), "count": 2])
      try WrongResult.unless(added.isPassed, "\(added)")
    }
    let placed = try host.dispatch("place")
    try WrongResult.unless(placed.isPassed, "\(placed)")
    try settled(host)
    return host
  }

  private static func settled(_ host: FlowHost) throws {
    try WrongResult.unless(
      try host.pendingWork.contains { $0.kind == .timer }, "the order does not wait for its payment"
    )
  }

  /// One that walks over a collection takes so long that a hundred times do.
  ///
  /// One that makes little of a large state is done so often that a walk of the garbage collector
  /// more or less is not seen.
  private static func workload(_ workload: Workload) -> Path {
    let times = workload.key == "append" ? 10_000 : workload.count < 20 ? 100 : 1_000
    return Path(name: workload.key, times: times) { try workload.open() }
  }

  /// A hundred times a batch.
  private static func batch(
    _ name: String, _ flow: String, _ actions: [(action: String, payload: Value)]
  ) -> Path {
    Path(name: name) {
      let host = try FlowHost(source: flow, options: HostOptions(clock: .virtual))
      let batch = (0..<100).map { actions[$0 % actions.count] }
      return { count in
        for _ in 0..<(count / batch.count) {
          let outcomes = try host.dispatch(batch: batch)
          try WrongResult.unless(outcomes.allSatisfy(\.isPassed), "an action did not pass")
        }
      }
    }
  }

  private static func dispatch(
    _ name: String, _ flow: String, _ actions: [(String, Value)], passes: Bool = true,
    watching views: [String] = []
  ) -> Path {
    Path(name: name) {
      let host = try FlowHost(source: flow, options: HostOptions(clock: .virtual))
      let subscriptions = try views.map { try host.subscribe($0) { _ in } }
      return { count in
        for i in 0..<count {
          let (action, payload) = actions[i % actions.count]
          let outcome = try host.dispatch(action, payload)
          try WrongResult.unless(outcome.isPassed == passes, "\(outcome)")
        }
        for subscription in subscriptions { subscription.cancel() }
      }
    }
  }
}
