import LuaRuntime

/// The reason why a scope refuses a request.
package struct ScopeRefusal: HostRefusal, CustomStringConvertible {
  package let description: String
  /// True if the script could not know it, such as when a scope is closed or locked.
  package let isRaised: Bool

  package init(_ description: String, isRaised: Bool = false) {
    (self.description, self.isRaised) = (description, isRaised)
  }
}
