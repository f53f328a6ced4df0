/// What a host adds to a flow.
struct HostParts: Sendable {
  var capabilities = Capabilities()
  var hostRules = HostRules()
  var scopes: [HostScopeDeclaration] = []
  var random: RandomSource?
}
