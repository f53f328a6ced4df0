import FlowKernel
import LuaRuntime

extension Engine {
  /// The parts of the case that no view shows.
  package var status: FlowStatus {
    FlowStatus(
      revision: revision, elapsed: .microseconds(time), machines: machineStates,
      passages: gatekeeperStatus.flatMap(\.held), openScopes: openScopes, pendingWork: pendingWork)
  }
}
