import FlowLanguage
import LuaRuntime
import StateCharts

// Read in place, without a copy: each step reads some of them.
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
  /// True if the flow is an SCXML document.
  package var dialect: Chart.Dialect { configuration.dialect }
}
