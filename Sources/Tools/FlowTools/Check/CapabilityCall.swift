import FlowLanguage

/// A call on the instance that an effect has, such as `self:mail("...")`.
package struct CapabilityCall: Sendable {
  /// The name that is called: of a capability, or of a factory.
  package let name: String
  /// The index of the scope whose instance the effect has.
  package let scope: Int
  /// The line of the call.
  package let place: SourcePlace
  /// The effect.
  let effect: Effect
  /// The call in the tree of its file.
  let expression: LuaTree.ExpressionID
}

/// A capability that a flow calls and nobody provides.
package struct MissingCapability: Sendable, Hashable {
  /// The outermost scope whose effects call it.
  package let scope: String
  package let name: String
  /// The first call.
  package let place: SourcePlace

  /// The name with its scope, such as `root.mail`.
  package var title: String { "\(scope).\(name)" }
}
