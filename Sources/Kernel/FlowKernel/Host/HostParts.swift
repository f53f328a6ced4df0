import FlowLanguage

/// What a host adds to a flow.
package struct HostParts: Sendable {
  package var capabilities = Capabilities()
  var hostRules = HostRules()
  package var scopes: [HostScopeDeclaration] = []
  package var random: RandomSource?
  /// When the case was born that begins, in microseconds since 1970; nil for a host that is none.
  package var birth: Int?
  /// The wall clock's time as a host begins that has no case, in microseconds since 1970.
  package var wall = 0
  /// False where invariants need not hold of the first state, as an exploration asks them itself.
  var checksBeginning = true

  package init(
    capabilities: Capabilities = Capabilities(), hostRules: HostRules = HostRules(),
    scopes: [HostScopeDeclaration] = [], random: RandomSource? = nil, birth: Int? = nil,
    wall: Int = 0, checksBeginning: Bool = true
  ) {
    self.capabilities = capabilities
    self.hostRules = hostRules
    self.scopes = scopes
    self.random = random
    self.birth = birth
    self.wall = wall
    self.checksBeginning = checksBeginning
  }
}
