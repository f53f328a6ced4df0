import FlowKernel
import LuaRuntime

extension PlaceTable {
  /// Returns the title of a subject, for messages and as a sort key.
  func title(of subject: SlotTable.Subject) -> String {
    switch subject {
    case .place(let place): "1 \(path(of: place))"
    case .shape(let place): "1 \(path(of: place)) #"
    case .part(let part): "2 \(part)"
    }
  }
}
