import LuaRuntime
import SCXML
import StateCharts

extension FlowDocument {
  /// Returns an event as an action of a document, with any payload.
  package static func action(_ name: String, of document: Int = 0, at place: SourcePlace) -> Action
  {
    Action(
      name: name, place: place,
      payload: .mapOf(
        .any(PayloadType.Common(defaultValue: nil, samples: [])), key: nil, maxLength: nil,
        PayloadType.Common(defaultValue: nil, samples: [[:]])), machines: [document])
  }
}
