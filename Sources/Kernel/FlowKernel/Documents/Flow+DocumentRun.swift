import FlowLanguage
import LuaRuntime
import SCXML
import StateCharts

extension Flow {
  /// Returns the payload of an action as it may be shown: the data of an event, without secrets.
  package func shown(_ payload: Value, of action: String) -> Value {
    let payload = document == nil ? payload : EventPart.shown(payload)
    return secrets?.hiding(payload, of: action) ?? payload
  }
}
