import FlowKernel
import Platform

/// The output of a session, which goes to the screen or is collected.
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

  /// Returns the output of `body`; nil if there was none.
  static func collect(_ body: () -> Void) -> String? {
    collected.withLock { $0 = "" }
    body()
    return collected.withLock { kept in
      defer { kept = nil }
      return kept?.isEmpty == false ? kept : nil
    }
  }
}
