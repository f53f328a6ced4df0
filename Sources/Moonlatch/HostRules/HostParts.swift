/// What a host adds to a flow.
struct HostParts: Sendable {
  var hostRules = HostRules()
  var scopes: [HostScopeDeclaration] = []
  var random: RandomSource?
}
