import FlowLanguage
import LuaRuntime

/// The effects under way.
package struct RunningEffects {
  /// The text of the flow in which an effect runs: after a reload it goes on in its own until it ends.
  final class FlowVersion {
    package let vm: LuaVM
    /// The views of the text by number, to be read in the text that came after it.
    package let views: [String]
    /// The names that its actions have in that text.
    package var actions = ActionNames()

    package init(vm: LuaVM, views: [String]) { (self.vm, self.views) = (vm, views) }
  }

  /// The coroutine of an effect that has started, or of a function of one, and what it takes to go on with it.
  ///
  /// An object, since it is handed from step to step. `EffectRecord` is what belongs to the case.
  package final class Running {
    /// Its own number, which is never given again: what it unlocks by hand ends with it.
    package let number: Int
    package let effect: Effect
    /// What it follows on.
    package let commit: Commit
    /// The transition that it belongs to, with what its chain has taken.
    package let cause: Cause
    /// The state while which it lasts, if it is that of a state.
    fileprivate(set) var state: ActiveState?
    /// The scope's instance in which it waits.
    package let instance: Int
    /// The one that it has as `self`, which its action may have closed.
    package let own: Int
    let flowVersion: FlowVersion
    /// The coroutine, once it waits.
    package var task: LuaTask?
    /// The call of a capability that it waits for.
    package var call: Int?
    /// Who waits for its end: told once nothing holds this any more.
    let end: EffectsEnd?
    /// Where this is a function of `all` or `race`, of whose.
    let branch: Branch?
    /// The effect that it is a function of, however deep: looked up by each call, so that it is kept.
    private let whole: Running?
    /// What it waits for, where that is functions of its own.
    var joinGroup: JoinGroup?
    /// The error that the last of these functions raised, which knows its own calls.
    var functionError: ScriptError?
    /// What a durable effect was told, where a journal is kept.
    package var log: EffectLog?
    /// Where its next call of a capability stands.
    var position = CallPosition()
    /// Until when it sleeps, by which timer, or what it waits to do, while it is told again what it was told before.
    package var sleeps: (until: Int, timer: Int)?
    var postponed: PostponedCall?
    /// The latest attempts of the effect that failed, once it has ended.
    package var attempts: [EffectAttempt] = []
    /// The stub that is at work for it, and whether a stub's caller waits for what was answered before.
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

    /// The same effect's function of that number, about to begin.
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

    /// It and what it is a function of, from the inside out: a loop, since functions nest a thousand deep.
    private var andParents: some Sequence<Running> {
      sequence(first: self) { $0.branch?.parent }
    }

    /// What messages call it.
    package var title: String { effect.title(during: state) }

    /// Which attempt of the innermost retry around it is under way; 0 outside of any.
    package var attempt: Int { andParents.lazy.map(\.position.attempt).first { $0 > 0 } ?? 0 }

    /// The position of the function in the effect; empty for the effect itself.
    package var place: String { branch?.place ?? "" }

    /// The bytes that it takes, about, while it waits: functions share the effect's transition.
    package var size: Int { branch == nil ? commit.size : 200 }
  }

  /// A call that was under way as the process ended: it is made once its effect has been told what it was told before.
  enum PostponedCall {
    /// Of a capability: what the script has given.
    case call([Value])
    /// Of a stub: the call's number.
    case stub(Int)
  }

  /// The names that actions and states have since a migration, for effects of which a journal tells.
  struct NewNames {
    package var actions = ActionNames()
    package var states: [ActiveState: ActiveState] = [:]

    package subscript(state: ActiveState?) -> ActiveState? { state.map { states[$0] ?? $0 } }
  }

  /// The names that have changed since the text under which the journal's effects began.
  var renamed = NewNames()
  package private(set) var waiting: [Int: Running] = [:]
  /// The bytes that those that wait take, about, with the transitions that they follow on.
  package private(set) var size = 0
  /// Who waits for a call.
  private var callers: [Int: Int] = [:]
  /// The effects that wait in instances of scopes, functions and root's aside.
  private var inInstances: [Int: Set<Int>] = [:]
  /// Those of states that wait.
  private var stateEffectTriggers: [ActiveState: Int] = [:]
  /// The effect that runs now: what it dispatches and schedules is its own.
  package var current: Running?
  /// Who waits for the end of the effects that begin now.
  package var end: EffectsEnd?
  /// Texts from before reloads in which effects still run.
  private(set) var earlierHomes: [FlowVersion] = []
  /// What is to be done, the last first, before an effect that has been gone on with counts as done.
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

  /// It goes on, or ends.
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
    if let state = running?.state, stateEffectTriggers[state] == number {
      stateEffectTriggers[state] = nil
    }
    return running
  }

  package mutating func wait(_ running: Running, for call: Int) {
    running.call = call
    callers[call] = running.number
  }

  /// Texts of before in which nothing runs any more are let go.
  mutating func forgetHomes() {
    if earlierHomes.isEmpty { return }
    earlierHomes.removeAll { flowVersion in
      current?.flowVersion !== flowVersion
        && !waiting.values.contains { $0.flowVersion === flowVersion }
    }
  }

  /// Takes over the effects of an earlier text, which go on in it.
  mutating func goOn(from other: RunningEffects, in flowVersion: FlowVersion) {
    self = other
    if waiting.values.contains(where: { $0.flowVersion === flowVersion }) {
      earlierHomes.append(flowVersion)
    }
  }

  /// The waiting effects of an instance, oldest first, without functions of theirs.
  package func waiting(in instance: Int) -> [Int] {
    guard instance == ScopeTree.rootNumber else { return (inInstances[instance] ?? []).sorted() }
    return waiting.values.filter { $0.instance == instance && $0.branch == nil }.map(\.number)
      .sorted()
  }

  /// What waits of an effect, or of a function of one: the inner functions first.
  package func tree(_ number: Int) -> [Int] {
    var (found, open) = ([Int](), [number])
    while let next = open.popLast() {
      guard let running = waiting[next] else { continue }
      found.append(next)
      if let joinGroup = running.joinGroup { open += joinGroup.waiting.sorted() }
    }
    return found.reversed()
  }

  /// The effect of a state, where it waits.
  package func number(of state: ActiveState) -> Int? { stateEffectTriggers[state] }

  /// Records stand under other keys, and the effects of their states go along: returns these.
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

  /// The effect that waits for a call.
  package func waiting(for call: Int) -> Int? { callers[call] }

  /// All effects that wait, oldest first, without functions of theirs.
  package var all: [Running] {
    if waiting.isEmpty { return [] }
    return waiting.values.filter { $0.branch == nil }.sorted { $0.number < $1.number }
  }
}
