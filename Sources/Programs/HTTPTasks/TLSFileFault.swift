#if Server
  /// The error of a file for TLS that is not there, or is no PEM.
  struct TLSFileFault: Error, Hashable, CustomStringConvertible {
    /// The option of the host file: `ca`, `cert` or `key`.
    let option: String
    /// The path; nil if the option has the text of the file.
    let path: String?

    var description: String {
      let missing = option == "key" ? "no private key" : "no certificate"
      return "tls.\(option): there is \(missing) in PEM in \(path ?? "its text")"
    }
  }
#endif
