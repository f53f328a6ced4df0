import FlowLanguage
import LuaRuntime

extension PayloadType {
  /// The fields of the payload.
  var fields: [Field] {
    if case .record(let fields) = self { fields } else { [] }
  }
}
