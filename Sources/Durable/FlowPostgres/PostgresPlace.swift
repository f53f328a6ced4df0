#if PostgreSQL
  import CPQ
  import FlowKernel

  /// The location of a journal: a URL for libpq, and its name in messages.
  struct PostgresPlace: Sendable {
    let url: String
    /// The schema that contains its tables.
    let schema: String
    /// The name in messages: the URL without the password.
    let name: String
    private let secrets: [String]

    init(_ url: String, schema: String = "moonlatch") throws(JournalError) {
      // libpq's own message would contain the URL with the password.
      guard url.hasPrefix("postgresql://") || url.hasPrefix("postgres://"),
        let options = PQconninfoParse(url, nil)
      else {
        throw JournalError(
          .failed,
          "the URL of the journal is invalid: it must be like "
            + "postgresql://USER:PASSWORD@HOST:5432/DATABASE?sslmode=verify-full, with %40 for @ and the like "
            + "within each part.")
      }
      defer { PQconninfoFree(options) }
      var given: [String: String] = [:]
      var option = options
      while let keyword = option.pointee.keyword {
        if let value = option.pointee.val {
          given[String(cString: keyword)] = String(cString: value)
        }
        option += 1
      }
      let user = given["user"].map { "\($0)@" } ?? ""
      let port = given["port"].map { ":\($0)" } ?? ""
      name =
        "postgresql://\(user)\(given["host"] ?? "localhost")\(port)/\(given["dbname"] ?? "")"
      secrets = ["password", "sslpassword"].compactMap { given[$0] }.filter { !$0.isEmpty }
      (self.url, self.schema) = (url, schema)
    }

    /// Returns a message without passwords, on one line.
    func plain(_ message: String) -> String {
      var text = message.replacing("\t", with: "").split(whereSeparator: \.isNewline).joined(
        separator: ", ")
      for secret in secrets {
        text = text.split(separator: secret, omittingEmptySubsequences: false).joined(
          separator: "•••")
      }
      return text
    }
  }
#endif
