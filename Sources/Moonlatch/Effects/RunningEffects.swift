import LuaRuntime

/// The effects under way.
struct RunningEffects {
  /// One effect that has started.
  struct Running {
    /// Its own number: what it unlocks by hand ends with it.
    let number: Int
    let effect: Effect
    /// The transition that it belongs to, with what its chain has taken.
    let cause: Cause
    /// The scope's instance in which it waits.
    let instance: Int
    /// The call of a capability that it waits for.
    var call: Int?
  }

  private(set) var waiting: [LuaTask: Running] = [:]
  private var last = 0
  /// The effect that runs now: what it dispatches and schedules is its own.
  var current: Running?

  subscript(task: LuaTask) -> Running? {
    get { waiting[task] }
    set { waiting[task] = newValue }
  }

  var count: Int { waiting.count }

  mutating func begin(_ effect: Effect, _ cause: Cause, in instance: Int) -> Running {
    last += 1
    return Running(number: last, effect: effect, cause: cause, instance: instance)
  }

  /// The waiting effects of an instance, oldest first.
  func tasks(in instance: Int) -> [LuaTask] {
    waiting.filter { $0.value.instance == instance }.keys.sorted { $0.order < $1.order }
  }

  /// Whether an effect of that transition waits.
  func areUnderWay(_ revision: Int) -> Bool {
    waiting.values.contains { $0.cause.revision == revision }
  }

  var all: [LuaTask] { waiting.keys.sorted { $0.order < $1.order } }
}
