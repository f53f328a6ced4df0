import LuaRuntime

extension LuaVM.RecordNote {
  package var hasCome: Bool {
    if case .came = self { true } else { false }
  }
}
