import LuaRuntime
import StateCharts

/// Lives of one flow that take turns in one engine, as the cases of a log do.
///
/// One VM is enough for all of them: each life that waits stores how it differs from a life that has only begun. That
/// is exact to the last byte of the VM's memory, so no life finds anything of another.
extension Engine {
  /// The parts of an engine that dispatches change, without the VM.
  fileprivate struct Moment {
    var history: History
    var derived: DerivedState
    var caseState: CaseState
    var hasReadClock: Bool
    var payload: CurrentPayload
  }

  /// The state in which every life begins.
  package struct Beginning {
    fileprivate let moment: Moment
  }

  /// A suspended life.
  package struct Life {
    fileprivate let moment: Moment
    fileprivate let vm: LuaVM.VMDelta
    /// The size in bytes above which garbage is collected before the life is suspended again.
    fileprivate let most: Int
  }

  /// A size in bytes so small that collecting garbage is not worth it.
  private static let few = 6 << 10

  /// Saves the current state of the engine as the beginning of later lives.
  ///
  /// Returns nil if more can change than a life stores.
  package func keepBeginning() -> Beginning? {
    // Open scopes are objects of their own, and there is only one set of running effects.
    guard flow.scopes.count <= 1, !settings.startsEffectsAndTimers, hostRules == nil,
      !isTranscribing,
      !observers.findsChangedLocals, observers.subscriptions.isEmpty
    else { return nil }
    vm.collectGarbage()
    return vm.keepImage(forLives: true) ? Beginning(moment: moment) : nil
  }

  /// Starts a life and discards the current one; returns false if the VM cannot be reset.
  package func begin(_ beginning: Beginning) -> Bool {
    guard vm.beginAgain() else { return false }
    moment = beginning.moment
    return true
  }

  /// Suspends the current life, and starts a new one.
  ///
  /// Returns nil and changes nothing if there is not enough memory.
  package func putAside(_ beginning: Beginning, after life: Life?) -> Life? {
    let most = life?.most ?? Engine.few
    guard let aside = vm.putAside(collectingAbove: most) else { return nil }
    defer { moment = beginning.moment }
    // The threshold grows, so that a life that is large without garbage is not collected at each of its turns.
    return Life(moment: moment, vm: aside, most: max(Engine.few, 2 * aside.size))
  }

  /// Resumes a life in an engine in which a life has only begun.
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
