import LuaRuntime
import StateCharts

extension Machine.Records {
  package init?(_ noted: Value, of machine: String) {
    guard let path = noted["each"]?.stringValue else { return nil }
    self.init(
      path: path.split(separator: ".", omittingEmptySubsequences: false).map(String.init),
      field: noted["field"]?.stringValue ?? machine,
      which: (noted["which"]?.listValue ?? []).compactMap(\.stringValue),
      whichIn: Dictionary(
        (noted["which_in"]?.listValue ?? []).compactMap {
          guard let action = $0["action"]?.stringValue else { return nil }
          return $0["field"]?.stringValue.map { (action, $0) }
        }, uniquingKeysWith: { first, _ in first }),
      without: Set((noted["without"]?.listValue ?? []).compactMap(\.stringValue)))
  }
}
