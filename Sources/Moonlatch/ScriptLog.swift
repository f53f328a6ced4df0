import LuaRuntime

/// Where `print` of a script goes.
package final class ScriptLog {
  let write: @Sendable (String) -> Void

  package init(_ write: @escaping @Sendable (String) -> Void) { self.write = write }

  package func attach(to vm: LuaVM) throws(ScriptError) {
    let write = write
    try vm.provide("print") { arguments in
      write(arguments.first?.stringValue ?? "")
      return []
    }
  }
}
