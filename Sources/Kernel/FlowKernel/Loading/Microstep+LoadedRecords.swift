import FlowLanguage
import LuaRuntime
import StateCharts

extension Microstep {
  /// The record whose machine takes the microstep, for the VM; nil for a machine of the state.
  package var place: TransactionSteps.Record? {
    machine.records.flatMap {
      record == 0 ? nil : TransactionSteps.Record(record, of: $0.number)
    }
  }
}
