#if Server
  /// An error for the text of a file for TLS that cannot be read.
  struct TLSFileFault: Error, Hashable, CustomStringConvertible {
    /// The option of the host file: `ca`, `cert` or `key`.
    let option: String

    var description: String {
      let missing = option == "key" ? "no private key" : "no certificate"
      return "tls.\(option): there is \(missing) in PEM in its text"
    }
  }
#endif
