import FlowLanguage
import LuaRuntime
import SCXML
import StateCharts

extension DocumentEvent {
  package static func error(_ word: String, _ error: ScriptError, at place: SourcePlace?)
    -> DocumentEvent
  {
    let own = error.line.map { SourcePlace(file: error.chunk ?? place?.file ?? "", line: $0) }
    return DocumentEvent(
      name: "error.\(word)", kind: .platform, data: .string(error.message),
      place: own ?? place ?? SourcePlace(file: "", line: 0))
  }
}
