import FlowLanguage
import LuaRuntime

extension PayloadType {
  /// The fields of a payload.
  var fields: [Field] {
    if case .record(let fields) = self { fields } else { [] }
  }
}
