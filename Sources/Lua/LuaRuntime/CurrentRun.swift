import CLatch
import Platform

/// A script run that is in progress on some thread of this process.
///
/// Two values are equal if no run has begun or ended in their VM in between.
package struct CurrentRun: Hashable, Sendable {
  /// The number of the VM, unique in this process.
  package let vm: UInt64
  private let progress: UInt64
  /// The kind of code that runs, as a noun with its article.
  package let kind: String

  /// Creates a value that need not stand for an actual run.
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

  /// The numbers of the VMs whose runs wait for something outside of the process.
  private static let waitingVMs = Mutex<Set<UInt64>>([])

  /// Runs `body`, in which the run of a VM waits for something outside of the process, and so is not current.
  package static func waiting<Result>(
    in vm: LuaVM, _ body: () throws -> Result
  ) rethrows -> Result {
    let number = vm.number
    waitingVMs.withLock { _ = $0.insert(number) }
    defer { waitingVMs.withLock { _ = $0.remove(number) } }
    return try body()
  }

  /// All current runs, at most a thousand.
  package static var all: [CurrentRun] {
    let most = 1_000
    let runs = [latch_run_under_way](unsafeUninitializedCapacity: most) { buffer, used in
      used = latch_runs_under_way(buffer.baseAddress, most)
    }
    let waiting = waitingVMs.withLock { $0 }
    return runs.map(CurrentRun.init).filter { !waiting.contains($0.vm) }
  }

  /// Asks the run to end at its next instruction, as one that exceeded its time limit.
  ///
  /// Does nothing if another run has begun or ended in the VM since, or if the VM is closed.
  package func end() {
    latch_end_run(latch_run_under_way(vm: vm, progress: progress, phase: LATCH_IDLE))
  }
}
