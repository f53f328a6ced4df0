import LuaRuntime

/// The options of an `http` capability, as its host file has them.
struct HTTPOptions: Sendable {
  /// The form of a request's body.
  enum Body: String, Sendable {
    case json, form
    case nothing = "none"
  }

  /// The header with the id of the call, by which a server recognizes a repeated request.
  struct Key: Sendable {
    let header: String
    let isQuoted: Bool
  }

  let method: String
  let url: URLTemplate
  /// The URL as it was loaded.
  let loadedURL: String
  /// The longest time that a request takes, in seconds.
  let timeout: Double
  /// The most requests of a node at once.
  let atOnce: Int
  /// The greatest size of a response's body, in bytes.
  let mostBytes: Int
  let network: HTTPTaskNetwork
  let allowsPlain: Bool
  let tls: HTTPTaskTLS?
  let headers: [HTTPTaskHeader]
  let body: Body
  /// True if the host file says that requests have no body, and the method does not say it alone.
  let forbidsBody: Bool
  let key: Key?
  /// The statuses that are answers besides 2xx.
  let answers: Set<Int>
  /// True if a function makes the request.
  let hasRequest: Bool
  /// True if a function reads the response.
  let hasResponse: Bool
  /// The longest time until a webhook brings the answer, in seconds; nil if the response is the answer.
  let callback: Double?

  private static let repeated: Set<String> = ["POST", "PUT", "PATCH", "DELETE"]
  private static let withBody: Set<String> = ["POST", "PUT", "PATCH"]

  /// Reads the prelude's description.
  ///
  /// - Parameters:
  ///   - hasNames: true if `$NAME` stands for texts that were not read.
  ///   - faults: gets each fault that the prelude has not found.
  init?(_ entry: Value, hasNames: Bool, faults: inout [String]) {
    guard let method = entry["method"]?.stringValue, let text = entry["url"]?.stringValue
    else { return nil }
    let url: URLTemplate
    do {
      url = try URLTemplate(text, hasNames: hasNames)
    } catch {
      faults.append(error.description)
      return nil
    }
    (self.method, self.url, loadedURL) = (method, url, text)
    timeout = entry["seconds"]?.doubleValue ?? 30
    atOnce = entry["at_once"]?.integerValue ?? 32
    mostBytes = entry["max"]?.integerValue ?? 1 << 20
    network = HTTPOptions.network(of: url, entry)
    allowsPlain = entry["plain"] == true
    tls = HTTPOptions.tls(entry["tls"], of: url, hasNames: hasNames, &faults)
    body =
      entry["body"]?.stringValue.flatMap(Body.init(rawValue:))
      ?? (HTTPOptions.withBody.contains(method) ? .json : .nothing)
    forbidsBody = entry["body"] == "none"
    key = HTTPOptions.key(entry["key"], of: method, &faults)
    headers = HTTPOptions.headers(entry["headers"], key, &faults)
    answers = Set((entry["answers"]?.listValue ?? []).compactMap(\.integerValue))
    hasRequest = entry["request"] == true
    hasResponse = entry["response"] == true
    callback = entry["callback"]?.doubleValue
  }

  /// True if the response's status belongs to the result.
  var wrapsResult: Bool { !answers.isEmpty && !hasResponse }

  // MARK: Reading

  private static func network(of url: URLTemplate, _ entry: Value) -> HTTPTaskNetwork {
    if url.host.map(isNamed) ?? false { return .named }
    return entry["private"] == true ? .privateToo : .publicOnly
  }

  /// Returns true for an address and for `localhost`, which say themselves where a request goes.
  ///
  /// Numbers in other forms, such as `127.1`, are resolved and checked as names are.
  private static func isNamed(_ host: String) -> Bool {
    if host.lowercased() == "localhost" || host.hasPrefix("[") { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4
      && parts.allSatisfy { part in
        part.utf8.allSatisfy { (48...57).contains($0) }
          && UInt8(part).map { "\($0)" == part } ?? false
      }
  }

  private static func tls(
    _ given: Value?, of url: URLTemplate, hasNames: Bool, _ faults: inout [String]
  ) -> HTTPTaskTLS? {
    guard let given, !given.isNil else { return nil }
    if url.isPlain { faults.append("tls needs a URL with https://") }
    var texts: [String: String] = [:]
    for name in ["ca", "cert", "key"] {
      guard let text = given[name]?.stringValue else { continue }
      if !hasNames, !text.contains("-----BEGIN ") {
        faults.append("tls.\(name) takes the text of a PEM file: \(name) = file(\"\(name).pem\")")
      }
      texts[name] = text + "\n"
    }
    if (texts["cert"] == nil) != (texts["key"] == nil) {
      faults.append("tls needs both cert and key for a certificate of the client")
    }
    return HTTPTaskTLS(
      authorities: texts["ca"], certificate: texts["cert"], key: texts["key"])
  }

  private static func key(
    _ given: Value?, of method: String, _ faults: inout [String]
  ) -> Key? {
    switch given {
    case .boolean(false)?: return nil
    case let given? where given["header"] != nil:
      let key = Key(
        header: given["header"]?.stringValue ?? "", isQuoted: given["quoted"] == true)
      if let fault = HTTPTaskHeader(key.header, "").fault { faults.append("key: \(fault)") }
      return key
    default:
      return repeated.contains(method) ? Key(header: "Idempotency-Key", isQuoted: false) : nil
    }
  }

  private static func headers(
    _ given: Value?, _ key: Key?, _ faults: inout [String]
  ) -> [HTTPTaskHeader] {
    let headers = (given?.recordValue ?? [:]).sorted { $0.key < $1.key }
      .map { HTTPTaskHeader($0.key, $0.value.stringValue ?? "") }
    faults += headers.compactMap(\.fault)
    if let key, headers.value(of: key.header) != nil {
      faults.append(
        "the header \(key.header) has the call's id; with key = false you can set it yourself")
    }
    let names = Dictionary(grouping: headers, by: { $0.name.lowercased() })
    faults += names.values.filter { $0.count > 1 }.compactMap(\.first).map {
      "the header \($0.name) is given twice"
    }
    return headers
  }

  // MARK: Checks

  /// Returns the faults of the placeholders in the URL.
  ///
  /// - Parameters:
  ///   - names: the names of the arguments; nil if a call may have any.
  ///   - isRoot: true if the capability belongs to root, which has no key.
  func placeholderFaults(arguments names: [String]?, isRoot: Bool) -> [String] {
    HostCall.faults(
      ofPlaceholders: url.placeholders, in: "the URL", arguments: names, isRoot: isRoot)
  }
}
