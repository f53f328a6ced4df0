/// A running call of a factory; the calls of a thread form a list, in which a cycle is detected.
final class Making {
  /// The scope instance that has the factory.
  let instance: AnyObject
  let path: String
  let outer: Unmanaged<Making>?

  init(_ instance: AnyObject, _ path: String, inside outer: Unmanaged<Making>?) {
    self.instance = instance
    self.path = path
    self.outer = outer
  }
}
