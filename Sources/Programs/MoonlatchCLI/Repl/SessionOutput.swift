import FlowKernel
import Synchronization

/// Where a session's output goes: to the screen, or for a while to whoever collects it.
enum SessionOutput {
  private static let collected = Mutex<String?>(nil)

  static func write(_ text: String) {
    let isKept = collected.withLock { kept in
      guard kept != nil else { return false }
      kept?.append(text)
      return true
    }
    if !isKept { Terminal.writeOutput(text) }
  }

  /// What is written meanwhile, or nil for nothing.
  static func collect(_ body: () -> Void) -> String? {
    collected.withLock { $0 = "" }
    body()
    return collected.withLock { kept in
      defer { kept = nil }
      return kept?.isEmpty == false ? kept : nil
    }
  }
}
