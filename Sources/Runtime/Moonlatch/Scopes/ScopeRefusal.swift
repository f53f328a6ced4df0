/// Why a scope does not do what it was asked.
struct ScopeRefusal: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
