import FlowLanguage
import LuaRuntime

/// The effects under way.
package struct RunningEffects {
  /// A version of the flow in which an effect runs: after a reload the effect stays in its own until it ends.
  final class FlowVersion {
    package let vm: LuaVM
    /// The names of the version's views, by number, by which the later version finds them.
    package let views: [String]
    /// The names of the version's actions in the current version.
    package var actions = ActionNames()

    package init(vm: LuaVM, views: [String]) { (self.vm, self.views) = (vm, views) }
  }

  /// The coroutine of an effect that has started, or of a function of one, with the state needed to resume it.
  ///
  /// It is an object, since it is passed from step to step. `EffectRecord` is the part that belongs to the case.
  package final class Running {
    /// Its own number, which is never reused; locks that it opens by hand close when it ends.
    package let number: Int
    package let effect: Effect
    /// The commit that the effect follows.
    package let commit: Commit
    /// The revision of that commit, and the costs of its chain.
    package let cause: Cause
    /// The state to which the effect belongs; nil for an effect of an action.
    fileprivate(set) var state: ActiveState?
    /// The scope instance in which the effect waits.
    package let instance: Int
    /// The scope instance that the effect has as `self`, which its action may have closed.
    package let own: Int
    let flowVersion: FlowVersion
    /// The coroutine, once the effect waits.
    package var task: LuaTask?
    /// The number of the capability's call for which the effect waits.
    package var call: Int?
    /// The task for whose answer the effect waits.
    package var openTask: OpenTask?
    /// The failure of the latest task that failed, of its own or of a function that it waits for.
    package private(set) var lastFailure: CallFailure?
    /// The waiters for its end; they are told when nothing holds this any more.
    let end: EffectsEnd?
    /// The group that this function belongs to, with its parent; nil for the effect itself.
    let branch: Branch?
    /// The effect that it is a function of, at any depth; stored because each call looks it up.
    private let whole: Running?
    /// The group of functions for which it waits.
    var joinGroup: JoinGroup?
    /// The error that the last of these functions raised, with its traceback.
    var functionError: ScriptError?
    /// The log of a durable effect; nil without a journal.
    package var log: EffectLog?
    /// The position of its next call of a capability.
    var position = CallPosition()
    /// The end of its recorded sleep, and its timer, while it is replayed.
    package var sleeps: (until: Int, timer: Int)?
    var postponed: PostponedCall?
    /// The latest failed attempts of the effect, set when it has ended.
    package var attempts: [EffectAttempt] = []
    /// The stub that runs for it; `awaitsStub` is true if a stub's caller waits for a recorded answer.
    var stub: StubRun?
    var awaitsStub = false

    init(
      number: Int, effect: Effect, commit: Commit, cause: Cause, during state: ActiveState?,
      instance: Int, own: Int, flowVersion: FlowVersion, end: EffectsEnd?, branch: Branch? = nil
    ) {
      (self.number, self.effect, self.commit) = (number, effect, commit)
      (self.cause, self.instance, self.flowVersion, self.end) = (cause, instance, flowVersion, end)
      self.own = own
      (self.state, self.branch, whole) = (state, branch, branch?.parent.root)
    }

    /// Creates a function of the same effect, about to begin.
    convenience init(number: Int, _ branch: Branch) {
      let parent = branch.parent
      self.init(
        number: number, effect: parent.effect, commit: parent.commit, cause: parent.cause,
        during: parent.state, instance: parent.instance, own: parent.own,
        flowVersion: parent.flowVersion,
        end: parent.end, branch: branch)
      position = CallPosition(ofFunction: branch.number, in: branch.joinGroup.path)
    }

    /// The effect itself.
    package var root: Running { whole ?? self }

    /// True if a stub runs for it, or for the effect or function that began it.
    var isInsideStub: Bool { andParents.contains { $0.stub != nil } }

    /// It and the functions and effect around it, from the inside out; a loop, since functions nest a thousand deep.
    private var andParents: some Sequence<Running> {
      sequence(first: self) { $0.branch?.parent }
    }

    /// Sets the failure of the latest task, which the functions around it may raise, too.
    func fail(with failure: CallFailure) {
      for running in andParents { running.lastFailure = failure }
    }

    /// The title of the effect in messages.
    package var title: String { effect.title(during: state) }

    /// The number of the attempt of the innermost retry around it; 0 outside of any retry.
    package var attempt: Int { andParents.lazy.map(\.position.attempt).first { $0 > 0 } ?? 0 }

    /// The number of the try of a call that is made now, from 1 on.
    ///
    /// It is the number of the attempt of the retry around the call. In a retry within another one, the attempts of the
    /// outer one count thousands, since a retry makes 1,000 at most: a call never has the same number twice.
    package var tryNumber: Int {
      let numbers = Array(andParents).reversed().flatMap(\.position.attemptNumbers)
      return numbers.reduce(0) { ($0 &* 1_000 &+ max(0, $1 - 1)) & (Int.max >> 1) } + 1
    }

    /// The position of the function in the effect; empty for the effect itself.
    package var place: String { branch?.place ?? "" }

    /// Its approximate size while it waits, in bytes; functions share the effect's commit.
    package var size: Int { branch == nil ? commit.size : 200 }
  }

  /// A call that was under way when the process ended; it is made once its effect has been replayed.
  enum PostponedCall {
    /// A call of a capability, with the arguments of the script.
    case call([Value])
    /// A call of a stub, with the call's number.
    case stub(Int)
  }

  /// The current names of actions and states after a migration, for effects that a journal has under old names.
  struct NewNames {
    package var actions = ActionNames()
    package var states: [ActiveState: ActiveState] = [:]

    package subscript(state: ActiveState?) -> ActiveState? { state.map { states[$0] ?? $0 } }
  }

  /// The names that have changed since the version under which the journal's effects began.
  var renamed = NewNames()
  package private(set) var waiting: [Int: Running] = [:]
  /// The approximate size of all waiting effects, with their commits, in bytes.
  package private(set) var size = 0
  /// The numbers of waiting effects, by the call for which each waits.
  private var callers: [Int: Int] = [:]
  /// The waiting effects by scope instance, without functions and without those of root.
  private var inInstances: [Int: Set<Int>] = [:]
  /// The waiting effects of states.
  private var stateEffectTriggers: [ActiveState: Int] = [:]
  /// The effect that runs now; its dispatches and timers belong to it.
  package var current: Running?
  /// The waiters for the end of the effects that begin now.
  package var end: EffectsEnd?
  /// Versions from before reloads in which effects still run.
  private(set) var earlierVersions: [FlowVersion] = []
  /// The pending steps, the last first; they run before a resumed effect counts as done.
  var steps: [GatheringStep] = []

  package subscript(number: Int) -> Running? { waiting[number] }

  package var count: Int { waiting.count }

  package mutating func wait(_ running: Running) {
    waiting[running.number] = running
    running.branch?.joinGroup.waiting.insert(running.number)
    if running.branch == nil, let state = running.state {
      stateEffectTriggers[state] = running.number
    }
    if running.branch == nil, running.instance != ScopeTree.rootNumber {
      inInstances[running.instance, default: []].insert(running.number)
    }
    size += running.size
  }

  /// Removes and returns a waiting effect that resumes or ends.
  package mutating func take(_ number: Int) -> Running? {
    let running = waiting.removeValue(forKey: number)
    if let running {
      size -= running.size
      running.branch?.joinGroup.waiting.remove(number)
      if running.branch == nil, running.instance != ScopeTree.rootNumber {
        inInstances[running.instance]?.remove(number)
        if inInstances[running.instance]?.isEmpty == true { inInstances[running.instance] = nil }
      }
    }
    if let call = running?.call { callers[call] = nil }
    running?.openTask = nil
    if let state = running?.state, stateEffectTriggers[state] == number {
      stateEffectTriggers[state] = nil
    }
    return running
  }

  package mutating func wait(_ running: Running, for call: Int) {
    running.call = call
    callers[call] = running.number
  }

  /// Releases earlier versions in which nothing runs any more.
  mutating func releaseUnusedVersions() {
    if earlierVersions.isEmpty { return }
    earlierVersions.removeAll { flowVersion in
      current?.flowVersion !== flowVersion
        && !waiting.values.contains { $0.flowVersion === flowVersion }
    }
  }

  /// Takes over the effects of an earlier version, which continue in it.
  mutating func goOn(from other: RunningEffects, in flowVersion: FlowVersion) {
    self = other
    if waiting.values.contains(where: { $0.flowVersion === flowVersion }) {
      earlierVersions.append(flowVersion)
    }
  }

  /// Returns the waiting effects of an instance, oldest first, without their functions.
  package func waiting(in instance: Int) -> [Int] {
    guard instance == ScopeTree.rootNumber else { return (inInstances[instance] ?? []).sorted() }
    return waiting.values.filter { $0.instance == instance && $0.branch == nil }.map(\.number)
      .sorted()
  }

  /// Returns the waiting functions of an effect, or of a function, and itself: the inner ones first.
  package func tree(_ number: Int) -> [Int] {
    var (found, open) = ([Int](), [number])
    while let next = open.popLast() {
      guard let running = waiting[next] else { continue }
      found.append(next)
      if let joinGroup = running.joinGroup { open += joinGroup.waiting.sorted() }
    }
    return found.reversed()
  }

  /// Returns the number of a state's effect; nil if it does not wait.
  package func number(of state: ActiveState) -> Int? { stateEffectTriggers[state] }

  /// Renames states whose records have other keys now, and returns the effects of those states.
  package mutating func rename(
    _ states: [ActiveState: ActiveState]
  ) -> [(effect: Int, to: ActiveState)] {
    var moved: [(effect: Int, to: ActiveState)] = []
    for (state, new) in states {
      if let number = stateEffectTriggers.removeValue(forKey: state) { moved.append((number, new)) }
    }
    for (effect, state) in moved {
      stateEffectTriggers[state] = effect
      for number in tree(effect) { waiting[number]?.state = state }
    }
    return moved
  }

  /// Returns the number of the effect that waits for a call.
  package func waiting(for call: Int) -> Int? { callers[call] }

  /// Returns the effect, or the function of one, that waits for a task.
  package func waiting(for task: OpenTask.Key) -> Running? {
    waiting.values.first { $0.openTask?.key == task }
  }

  /// All waiting effects, oldest first, without their functions.
  package var all: [Running] {
    if waiting.isEmpty { return [] }
    return waiting.values.filter { $0.branch == nil }.sorted { $0.number < $1.number }
  }
}
