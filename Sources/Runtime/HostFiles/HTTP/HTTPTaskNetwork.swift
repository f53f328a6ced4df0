/// The addresses to which a request may be sent.
package enum HTTPTaskNetwork: Sendable, Hashable {
  /// Public addresses alone.
  case publicOnly
  /// Private ones too, but not those of a cloud's metadata.
  case privateToo
  /// All of them: the host file names the address itself, or `localhost`.
  case named
}
