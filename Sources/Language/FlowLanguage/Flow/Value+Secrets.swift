import LuaRuntime

extension Value {
  func replacing(_ key: StatePath.Key, by value: Value) -> Value {
    switch (self, key) {
    case (.record(var fields), .field(let name)):
      fields[name] = value
      return .record(fields)
    case (.map(var entries), .index(let index)):
      entries[index] = value
      return .map(entries)
    default: return self
    }
  }
}
