import Bench
import Moonlatch

/// A flow of the size that people write, beside the same functions on plain Lua tables.
public struct Workload: Sendable {
  /// A word for it.
  public let key: String
  /// The name of the workload, in a few words.
  public let name: String
  /// The most that a dispatch may cost, as a multiple of the plain calls.
  ///
  /// It is some 15 % above what a quiet run measures, because two runs of one build differ by up to 10 %.
  public let limit: Double
  /// The flow's text.
  public let flow: String
  /// The same on plain tables: the state, a payload, gate rule, reducer and invariant.
  public let bare: String
  /// The actions that are dispatched in turn, with their payloads as Lua.
  let actions: [(name: String, payload: String)]
  /// The action that is dispatched first: it gives the lists their length.
  let filling: String?
  /// How many a round has.
  public let count: Int

  /// Makes a host with its lists filled, and gives what dispatches the actions in turn so many
  /// times.
  public func open() throws -> (Int) throws -> Void {
    let actions = try actions.map { (action: $0.name, payload: try Workload.value($0.payload)) }
    let host = try FlowHost(source: flow, options: HostOptions(clock: .virtual))
    if let filling { try host.dispatch(filling).get() }
    return { count in
      let before = try host.revision
      for i in 0..<count {
        let (action, payload) = actions[i % actions.count]
        try host.dispatch(action, payload)
      }
      try WrongResult.unless(
        try host.revision == before + count, "\(name): an action did not pass")
    }
  }

  /// A value that is written as Lua.
  private static func value(_ source: String) throws -> Value {
    try FlowHost(source: "state {}\nfunction view.it() return \(source) end").view("it")
  }
}
