import FlowLanguage
import LuaRuntime

extension EffectRecord {
  /// Actions have other names, also in what the effect was told.
  package mutating func rename(_ names: ActionNames) {
    guard !names.isEmpty, let items = try? EffectLog.items(of: log) else { return }
    log = EffectLog.bytes(of: items.map { $0.renaming(names) })
  }
}
