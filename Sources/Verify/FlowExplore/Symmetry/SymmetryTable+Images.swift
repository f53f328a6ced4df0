import FlowKernel
import LuaRuntime

extension SymmetryTable {
  /// Returns the notation for the places of values, as an example for messages.
  static func form(_ name: String) -> String {
    "at = { \"rm[\(name)]\", \"owner = \(name)\", \"queue[*] = \(name)\" }"
  }
}
