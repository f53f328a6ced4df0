import LuaRuntime

/// The destination of a script's `print`.
package final class ScriptLog {
  package let write: @Sendable (String) -> Void
  /// The secrets of the flow that prints; nil if it has none.
  package let secretTexts: SecretTexts?

  /// - Parameter texts: the secrets to hide in the output; nil for none.
  package init(hiding texts: SecretTexts? = nil, _ write: @escaping @Sendable (String) -> Void) {
    secretTexts = texts
    guard let texts else {
      self.write = write
      return
    }
    self.write = { write(texts.hiding(in: $0)) }
  }

  package func attach(to vm: LuaVM) throws(ScriptError) {
    try vm.provide("print") { [self, unowned vm] arguments in
      tell(arguments, in: vm)
      return []
    }
  }

  /// Writes a line that a script prints.
  package func tell(_ arguments: [Value], in vm: LuaVM) {
    let text = arguments.first?.stringValue ?? ""
    // Readers of the log examine each character, so the script is charged for them.
    vm.spend(text.utf8.count / 4)
    write(text)
  }
}
