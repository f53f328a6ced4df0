/// The texts of files for TLS, in PEM.
package struct HTTPTaskTLS: Sendable, Hashable {
  /// The certificates of authorities that are trusted instead of the system's; nil for the system's.
  package let authorities: String?
  /// The client's certificate, and its key.
  package let certificate: String?
  package let key: String?

  package init(authorities: String?, certificate: String?, key: String?) {
    (self.authorities, self.certificate, self.key) = (authorities, certificate, key)
  }
}
