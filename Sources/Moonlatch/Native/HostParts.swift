/// What a host adds to a flow.
struct HostParts: Sendable {
  var natives = NativeParts()
  var scopes: [HostScopeDeclaration] = []
  var random: RandomSource?
}
