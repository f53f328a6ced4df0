/// What a host adds to a flow.
struct HostParts: Sendable {
  var capabilities = Capabilities()
  var hostRules = HostRules()
  var scopes: [HostScopeDeclaration] = []
  var random: RandomSource?
  /// When the case was born that begins, in microseconds since 1970; nil for a host that is none.
  var birth: Int?
  /// What the wall clock shows for a host that has no case.
  var wall = 0
}
