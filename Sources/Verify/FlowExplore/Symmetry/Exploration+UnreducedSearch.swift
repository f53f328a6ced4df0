import CExplore
import FlowLanguage
import LuaRuntime

extension Exploration {
  /// Checks the symmetry of the flow in samples, which name the difference, and in all states if there are few enough.
  ///
  /// - Returns: the search without symmetry reduction; nil if there is nothing to check, or if it was not possible,
  ///   which the reduced search then reports as an omission.
  func checkSymmetry(
    of session: StateSearch, _ status: explore_status
  ) throws -> UnreducedSearch? {
    guard let first = setup.said.alike.first else { return nil }
    try session.checkAlike()
    guard status == EXPLORE_OK else { return nil }
    let unreduced = try UnreducedSearch(self, beside: session)
    if unreduced == nil, !session.isStoppedAfterwards {
      session.unchecked =
        "alike (\(first.place)) was checked by samples only: not all states could be searched without it"
    }
    return unreduced
  }
}
