/// An error for a request that cannot be made.
struct HTTPFault: Error, Hashable, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
