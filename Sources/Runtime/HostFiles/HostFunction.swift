/// A function of a host file, which is the same in each VM of the file.
package struct HostFunction: Sendable, Hashable {
  /// The name under which the prelude keeps it.
  let name: String
}
