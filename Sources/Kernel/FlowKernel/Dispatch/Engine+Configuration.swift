import FlowLanguage
import LuaRuntime
import StateCharts

// These are read in place, without a copy, because each step reads some of them.
extension Engine {
  package var flow: Flow { @inline(__always) _read { yield configuration.flow } }
  package var loadedMachines: [LoadedMachine] {
    @inline(__always) _read { yield configuration.loadedMachines }
  }
  var recordMachines: [Int32: LoadedMachine] {
    @inline(__always) _read { yield configuration.recordMachines }
  }
  var eventless: EventlessTransitions? {
    @inline(__always) _read { yield configuration.eventless }
  }
  var hostRules: LoadedHostRules? { @inline(__always) _read { yield configuration.hostRules } }
  package var limits: Limits { @inline(__always) _read { yield configuration.limits } }
  /// The dialect of the flow's machines: flow or SCXML.
  package var dialect: Chart.Dialect { configuration.dialect }
}
