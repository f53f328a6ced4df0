import LuaRuntime

/// Why a scope does not do what it was asked.
struct ScopeRefusal: HostRefusal, CustomStringConvertible {
  let description: String
  /// True if the script could not know better, as when a scope is closed or locked.
  let isRaised: Bool

  init(_ description: String, isRaised: Bool = false) {
    (self.description, self.isRaised) = (description, isRaised)
  }
}
