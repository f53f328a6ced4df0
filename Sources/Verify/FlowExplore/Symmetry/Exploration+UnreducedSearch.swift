import CExplore
import FlowLanguage
import LuaRuntime

extension Exploration {
  /// Sees if the flow is symmetric: in samples, which say what differs, and in all states if there are not too many.
  ///
  /// - Returns: the search without symmetry reduction; nil if there is nothing to check, or if it was not possible, which
  ///   the search that was reduced notes as an omission.
  func checkSymmetry(
    of session: StateSearch, _ status: explore_status
  ) throws -> UnreducedSearch? {
    guard let first = setup.said.alike.first else { return nil }
    try session.checkAlike()
    guard status == EXPLORE_OK else { return nil }
    let unreduced = try UnreducedSearch(self, beside: session)
    if unreduced == nil, !session.isStoppedAfterwards {
      session.unchecked =
        "alike (\(first.place)) was checked in samples alone: not all states could be searched without it"
    }
    return unreduced
  }
}
