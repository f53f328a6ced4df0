import LuaRuntime
import StateCharts

/// Lives of one flow that take turns in one engine, as the cases of a log do: one VM is enough for all of
/// them, and each that waits takes what it differs in from a life that has only begun.
///
/// That is exact to the last byte of the VM's memory: no life finds anything of another.
extension Engine {
  /// What changes in an engine while actions are dispatched, but for the VM.
  fileprivate struct Moment {
    var history: History
    var derived: DerivedState
    var caseState: CaseState
    var hasReadClock: Bool
    var payload: CurrentPayload
  }

  /// How every life begins.
  package struct Beginning {
    fileprivate let moment: Moment
  }

  /// A life that waits.
  package struct Life {
    fileprivate let moment: Moment
    fileprivate let vm: LuaVM.VMDelta
    /// From how many bytes on garbage is collected before it is put aside again.
    fileprivate let most: Int
  }

  /// So little that to collect garbage would not be worth it.
  private static let few = 6 << 10

  /// Remembers what the engine is now as the beginning of lives to come; nil where more changes than can
  /// be put aside.
  package func keepBeginning() -> Beginning? {
    // Scopes are open in objects of their own, and what is under way is there once.
    guard flow.scopes.count <= 1, !settings.startsEffectsAndTimers, hostRules == nil,
      !isTranscribing,
      !observers.findsChangedLocals, observers.subscriptions.isEmpty
    else { return nil }
    vm.collectGarbage()
    return vm.keepImage(forLives: true) ? Beginning(moment: moment) : nil
  }

  /// Begins a life; what was is gone.
  package func begin(_ beginning: Beginning) -> Bool {
    guard vm.beginAgain() else { return false }
    moment = beginning.moment
    return true
  }

  /// Puts the life under way aside, and begins one.
  ///
  /// Gives nil, and changes nothing, where there is no memory for that.
  package func putAside(_ beginning: Beginning, after life: Life?) -> Life? {
    let most = life?.most ?? Engine.few
    guard let aside = vm.putAside(collectingAbove: most) else { return nil }
    defer { moment = beginning.moment }
    // A life that is large without garbage is not collected from at each of its turns.
    return Life(moment: moment, vm: aside, most: max(Engine.few, 2 * aside.size))
  }

  /// Goes on with a life, in an engine in which one has only begun.
  package func takeUp(_ life: Life) {
    vm.takeUp(life.vm)
    moment = life.moment
  }

  private var moment: Moment {
    get {
      Moment(
        history: history, derived: derived, caseState: caseState, hasReadClock: hasReadClock,
        payload: scratch.payload)
    }
    set {
      (history, derived) = (newValue.history, newValue.derived)
      (caseState, hasReadClock) = (newValue.caseState, newValue.hasReadClock)
      scratch.payload = newValue.payload
    }
  }
}
