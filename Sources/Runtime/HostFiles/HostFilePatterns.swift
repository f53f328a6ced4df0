import FlowLanguage
import LuaRuntime
import Synchronization

/// Matches texts with the patterns of types, in the VM of a host file.
///
/// `@unchecked`: the VM is used under the lock alone.
final class HostFilePatterns: @unchecked Sendable {
  private let script: ScriptFile
  private let lock = Mutex(())

  init(_ script: ScriptFile) { self.script = script }

  /// Returns true if a text matches a Lua pattern; false for a pattern that takes too long.
  func matches(_ text: String, _ pattern: String) -> Bool {
    lock.withLock { _ in
      guard let function = try? FlowPreludes.function("matches", in: script.vm),
        let answer = try? script.vm.call(
          function, [.string(text), .string(pattern)], phase: .script,
          budget: Limits().instructionsPerDispatch)
      else { return false }
      return answer.first == .boolean(true)
    }
  }
}
