import FlowLanguage

/// The capabilities, rules, scopes and other parts that a host adds to a flow.
package struct HostParts: Sendable {
  package var capabilities = Capabilities()
  var hostRules = HostRules()
  package var scopes: [HostScopeDeclaration] = []
  package var random: RandomSource?
  /// The birth time of a new case, in microseconds since 1970; nil for a host without a case.
  package var birth: Int?
  /// The wall clock's time when a host without a case begins, in microseconds since 1970.
  package var wall = 0
  /// False if the initial state is not checked against invariants, because an exploration checks them itself.
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
