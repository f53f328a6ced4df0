import CLineEdit
import LuaRuntime

/// The handling of Ctrl-C: it stops the running script, and a second one before the script has stopped ends the
/// program.
enum Interruption {
  /// Starts to catch interrupts, which otherwise end the process.
  static func catchAll() { line_interrupts_catch() }

  /// Makes interrupts stop the scripts of this VM.
  static func stops(_ vm: LuaVM) {
    let interruption = vm.interruption
    line_interrupts_to(interruption.function, interruption.context)
  }

  /// Makes interrupts stop no script, because the VM is about to be freed.
  static func stopsNothing() {
    line_interrupts_to(nil, nil)
    line_interrupts_reset()
  }

  /// Clears earlier interrupts; called before a script runs.
  static func reset(_ vm: LuaVM) {
    line_interrupts_reset()
    vm.clearInterruption()
  }

  /// True if an interrupt has come since the reset.
  static var hasCome: Bool { line_interrupts_seen() > 0 }
}
