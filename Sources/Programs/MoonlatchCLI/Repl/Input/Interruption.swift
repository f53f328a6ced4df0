import CLineEdit
import LuaRuntime

/// Ctrl-C while a script runs stops the script; the second one before it has stopped leaves.
enum Interruption {
  /// Begins to catch interrupts; without this they end the process.
  static func catchAll() { line_interrupts_catch() }

  /// From now on an interrupt stops the scripts of this VM.
  static func stops(_ vm: LuaVM) {
    let interruption = vm.interruption
    line_interrupts_to(interruption.function, interruption.context)
  }

  /// From now on an interrupt stops no script: the VM is about to go.
  static func stopsNothing() {
    line_interrupts_to(nil, nil)
    line_interrupts_reset()
  }

  /// Before a script runs: what was interrupted before counts no more.
  static func reset(_ vm: LuaVM) {
    line_interrupts_reset()
    vm.clearInterruption()
  }

  /// Whether an interrupt has come since the reset.
  static var hasCome: Bool { line_interrupts_seen() > 0 }
}
