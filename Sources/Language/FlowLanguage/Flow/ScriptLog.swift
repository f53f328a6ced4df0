import LuaRuntime

/// Where `print` of a script goes.
package final class ScriptLog {
  package let write: @Sendable (String) -> Void
  /// The secrets of the flow that prints, where it has any.
  package let secretTexts: SecretTexts?

  /// - Parameter texts: what is not written, where there is any.
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

  /// Writes what a script prints.
  package func tell(_ arguments: [Value], in vm: LuaVM) {
    let text = arguments.first?.stringValue ?? ""
    // Whoever shows it looks at each of its characters.
    vm.spend(text.utf8.count / 4)
    write(text)
  }
}
