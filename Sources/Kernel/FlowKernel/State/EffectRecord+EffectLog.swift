import FlowLanguage
import LuaRuntime

extension EffectRecord {
  /// Renames actions, also in the log of the effect.
  package mutating func rename(_ names: ActionNames) {
    guard !names.isEmpty, let items = try? EffectLog.items(of: log) else { return }
    log = EffectLog.bytes(of: items.map { $0.renaming(names) })
  }
}
