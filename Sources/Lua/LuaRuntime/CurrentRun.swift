import CLatch

/// A run of a script that some thread of this process is in the middle of.
///
/// Two of them are equal if nothing has begun or ended in their VM in between.
package struct CurrentRun: Hashable, Sendable {
  /// The VM, by a number that no other one of this process has.
  package let vm: UInt64
  private let progress: UInt64
  /// What runs, as a noun with its article.
  package let kind: String

  /// Makes one that may stand for no run at all.
  package init(vm: UInt64, progress: UInt64, kind: String) {
    self.vm = vm
    self.progress = progress
    self.kind = kind
  }

  private init(_ run: latch_run_under_way) {
    vm = run.vm
    progress = run.progress
    kind =
      switch run.phase {
      case LATCH_LOADING: "the loading of a file"
      case LATCH_RULE: "a rule"
      case LATCH_REDUCER: "a reducer"
      case LATCH_VIEW: "a view"
      case LATCH_INVARIANT: "an invariant"
      case LATCH_CONDITION: "a condition"
      case LATCH_EFFECT: "an effect"
      case LATCH_DISPATCH: "a dispatch"
      default: "a script"
      }
  }

  /// All of them, up to a thousand.
  package static var all: [CurrentRun] {
    let most = 1_000
    let runs = [latch_run_under_way](unsafeUninitializedCapacity: most) { buffer, used in
      used = latch_runs_under_way(buffer.baseAddress, most)
    }
    return runs.map(CurrentRun.init)
  }

  /// Asks the run to end at its next instruction, as one that took too long.
  ///
  /// It does nothing if the VM has moved on, or is gone.
  package func end() {
    latch_end_run(latch_run_under_way(vm: vm, progress: progress, phase: LATCH_IDLE))
  }
}
