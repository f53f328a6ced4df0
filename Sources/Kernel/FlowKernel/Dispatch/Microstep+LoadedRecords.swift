import FlowLanguage
import LuaRuntime
import StateCharts

extension Microstep {
  /// The record whose machine moves, for the VM.
  package var place: TransactionSteps.Record? {
    machine.records.flatMap {
      record == 0 ? nil : TransactionSteps.Record(record, of: $0.number)
    }
  }
}
