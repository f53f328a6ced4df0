import CExplore
import FlowKernel
import LuaRuntime

extension StateSearch {
  /// The fields that contain the configuration of machines, except those of machines that belong to records.
  var placeFields: [String] {
    flow.flow.machines.filter { $0.records == nil }
      .flatMap { $0.chart.regions.compactMap(\.field) }
  }

  /// Returns the transitions from a state.
  func edges(from state: UInt32) -> [explore_edge] { listed(explore_edges, state) }

  /// Returns the decisions of all movers in a state, including refusals and failures.
  func decisions(in state: UInt32) -> [explore_edge] { listed(explore_decisions, state) }

  private func listed(
    _ list: (OpaquePointer?, UInt32, UnsafeMutablePointer<explore_edge>?, UInt32) -> UInt32,
    _ state: UInt32
  ) -> [explore_edge] {
    if isStoppedAfterwards { return [] }
    var edges = [explore_edge](repeating: explore_edge(), count: 64)
    let count = list(search, state, &edges, UInt32(edges.count))
    if count > edges.count {
      edges = [explore_edge](repeating: explore_edge(), count: Int(count))
      _ = list(search, state, &edges, count)
    }
    return Array(edges.prefix(Int(count)))
  }
}
