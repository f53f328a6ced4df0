import LuaRuntime

extension LogRow {
  init(_ event: LogEvent) {
    switch event.content {
    case .fields(let fields): self = .fields(fields)
    case .malformed(let reason): self = .malformed(reason)
    }
  }
}
