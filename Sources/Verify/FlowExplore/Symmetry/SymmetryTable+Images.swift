import FlowKernel
import LuaRuntime

extension SymmetryTable {
  /// How a file says where values stand.
  static func form(_ name: String) -> String {
    "at = { \"rm[\(name)]\", \"owner = \(name)\", \"queue[*] = \(name)\" }"
  }
}
