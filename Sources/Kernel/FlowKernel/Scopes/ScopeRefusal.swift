import LuaRuntime

/// Why a scope does not do what it was asked.
package struct ScopeRefusal: HostRefusal, CustomStringConvertible {
  package let description: String
  /// True if the script could not know better, as when a scope is closed or locked.
  package let isRaised: Bool

  package init(_ description: String, isRaised: Bool = false) {
    (self.description, self.isRaised) = (description, isRaised)
  }
}
