import FlowLanguage

/// What a host adds to a flow.
struct HostParts: Sendable {
  var capabilities = Capabilities()
  var hostRules = HostRules()
  var scopes: [HostScopeDeclaration] = []
  var random: RandomSource?
  /// When the case was born that begins, in microseconds since 1970; nil for a host that is none.
  var birth: Int?
  /// The wall clock's time as a host begins that has no case, in microseconds since 1970.
  var wall = 0
  /// False where invariants need not hold of the first state, as an exploration asks them itself.
  var checksBeginning = true
}
