/// An error for a call that cannot be made, such as one whose arguments fit into no request.
struct CallFault: Error, Hashable, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
