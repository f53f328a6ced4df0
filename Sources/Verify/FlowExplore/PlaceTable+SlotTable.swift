import FlowKernel
import LuaRuntime

extension PlaceTable {
  /// What messages and orders call a subject.
  func title(of subject: SlotTable.Subject) -> String {
    switch subject {
    case .place(let place): "1 \(path(of: place))"
    case .shape(let place): "1 \(path(of: place)) #"
    case .part(let part): "2 \(part)"
    }
  }
}
