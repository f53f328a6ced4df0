import FlowHosting
import FlowKernel
import FlowLanguage
import FlowTools
import LuaRuntime

/// Hosts: their histories, snapshots, subscriptions and scopes.
extension Shape {
  private static let options = HostOptions(
    limits: limits, clock: .virtual, print: { _ in }, report: { _ in })

  private static func host(
    _ source: String, scopes: (inout HostScopes) -> Void = { _ in }
  ) throws -> FlowHost {
    try FlowHost(LoadedFlow(source: source, limits: limits), options: options, scopes: scopes)
  }

  @discardableResult
  private static func pass(
    _ host: FlowHost, _ action: String, _ payload: Value = [:]
  ) throws -> Commit {
    let outcome = try host.dispatch(action, payload)
    guard case .passed(let commit) = outcome else { throw WrongResult("\(outcome)") }
    return commit
  }

  /// A list of records that `fill` makes and `raise` changes.
  private static let raising = """
    state { list = list {} }
    action.fill { count = integer }
    action.raise {}
    function reduce.fill(s, a) for i = 1, a.count do s.list[i] = { id = i } end end
    function reduce.raise(s) for _, r in ipairs(s.list) do r.id = r.id + 1 end end
    function view.first(s) return s.list[1] and s.list[1].id or 0 end
    """

  /// A list to which elements come, of which others go.
  private static let moving = """
    state { list = list {} }
    action.append { count = integer }
    action.move { count = integer }
    function reduce.append(s, a) for i = 1, a.count do table.insert(s.list, i) end end
    function reduce.move(s, a)
      for i = 1, a.count do
        table.insert(s.list, #s.list // 2 + 1, -i)
        table.remove(s.list, 1)
      end
    end
    """

  /// A host with a list of so many records.
  private static func filled(_ size: Int) throws -> FlowHost {
    let host = try host(raising)
    try pass(host, "fill", ["count": .integer(size)])
    return host
  }

  static var histories: [Shape] {
    [
      Shape(name: "undochanges", base: 200, isInSmallForm: true) { size in
        let host = try filled(size)
        try pass(host, "raise")
        for _ in 1...3 {
          try host.undo()
          try host.redo()
        }
        try host.undo(2)
      },
      Shape(name: "undocommits", base: 100) { size in
        let host = try host(counter)
        for _ in 1...size { try pass(host, "go") }
        try host.undo(size)
        try host.redo(size)
      },
      Shape(name: "undoonebyone", base: 50) { size in
        let host = try host(counter)
        for _ in 1...size { try pass(host, "go") }
        for _ in 1...size { try host.undo() }
      },
      Shape(name: "patches", base: 200) { size in
        let host = try filled(size)
        let state = try host.state()
        let patch = try pass(host, "raise").writes
        let later = state.applying(patch)
        try WrongResult.unless(later.reverting(patch) == state, "a patch does not lead back")
      },
      Shape(name: "netchanges", base: 100, isInSmallForm: true) { size in
        let host = try host(moving)
        let appended = try pass(host, "append", ["count": .integer(size)])
        try WrongResult.unless(
          appended.changes.changes.count == size, "an insertion is no net change")
        let before = try host.state()
        let moved = try pass(host, "move", ["count": .integer(size)]).changes
        try WrongResult.unless(
          try before.applying(moved) == host.state(), "the net changes do not lead there")
      },
      Shape(name: "snapshots", base: 200) { size in
        let host = try filled(size)
        let flow = try LoadedFlow(source: raising, limits: limits)
        let restored = try FlowHost(flow, restoring: host.snapshot(), options: options)
        try WrongResult.unless(try restored.revision == 1, "the state is not restored")
      },
      Shape(name: "reload", base: 200) { size in
        let host = try filled(size)
        _ = try host.reload(to: LoadedFlow(source: raising, limits: limits))
      },
      Shape(name: "playedsteps", base: 100, isInSmallForm: true) { size in
        let host = try host(counter)
        var steps = PlayedSteps(most: .max)
        for _ in 1...size {
          let step = PlayedSteps.Step.dispatch(
            action: "go", payload: [:], outcome: try host.dispatch("go"), followed: [])
          steps.add(PlayedSteps.Entry(step, at: 0))
        }
      },
    ]
  }

  static var hosts: [Shape] {
    [
      Shape(name: "hosts", base: 10) { size in
        let flow = try LoadedFlow(source: raising, limits: limits)
        let hosts = try (1...size).map { _ in try FlowHost(flow, options: options) }
        try WrongResult.unless(hosts.count == size, "a host is missing")
      },
      Shape(name: "subscribers", base: 50) { size in
        let host = try filled(1)
        let subscriptions = try (1...size).map { _ in try host.subscribe("first") { _ in } }
        for _ in 1...3 { try pass(host, "raise") }
        for subscription in subscriptions.reversed() { subscription.cancel() }
        try pass(host, "raise")
      },
      Shape(
        name: "hostscopes", base: 10,
        exception: "a case stores all that the host holds open with each scope that opens or closes"
      ) { size in
        let scope = KeyedScope("staff", key: Int.self)
        let host = try host(counter, scopes: { $0.declare(scope) })
        let instances = try (1...size).map { try host.open(scope, with: $0) }
        for instance in instances.reversed() { try instance.close() }
      },
    ]
  }
}
