import LuaRuntime
import Platform

/// The signature of a webhook's requests, which is computed over the bytes of the body as they came.
package struct HookSignature: Sendable {
  /// The ways in which requests are signed.
  package enum Scheme: Sendable, Hashable {
    /// `X-Hub-Signature-256: sha256=HEX`.
    case github
    /// `Stripe-Signature: t=TIME,v1=HEX`, over the time and the body.
    case stripe
    /// Standard Webhooks: `webhook-id`, `webhook-timestamp` and `webhook-signature: v1,BASE64`, over all of them.
    case standard
    /// The secret itself, in this header.
    case header(String)
  }

  private let scheme: Scheme
  /// The secrets: several while one is replaced by another.
  ///
  /// Without any, no request is valid.
  private let secrets: [[UInt8]]

  /// The greatest difference between the time of a signature and now, in seconds.
  private static let tolerance = 300

  /// Makes a signature with these secrets; those that are no key of the scheme are left out.
  package init(_ scheme: Scheme, secrets: [String]) {
    self.scheme = scheme
    let keys = secrets.map { secret -> [UInt8] in
      guard scheme == .standard else { return Array(secret.utf8) }
      let text = secret.hasPrefix("whsec_") ? String(secret.dropFirst(6)) : secret
      return Data(base64Encoded: text).map { Array($0) } ?? []
    }
    self.secrets = keys.filter { !$0.isEmpty }
  }

  /// Reads the prelude's description.
  init(_ entry: Value) {
    let scheme: Scheme =
      switch entry["scheme"]?.stringValue {
      case "github": .github
      case "stripe": .stripe
      case "standard": .standard
      default: .header(entry["header"]?.stringValue ?? "")
      }
    self.init(
      scheme, secrets: (entry["secrets"]?.listValue ?? []).compactMap(\.stringValue))
  }

  /// Returns the header `webhook-signature` of a message: one signature of Standard Webhooks for each secret.
  ///
  /// - Parameter time: the time, in seconds since 1970.
  func signatures(of body: [UInt8], id: String, time: Int) -> String {
    let content = HookSignature.content(of: body, id: id, time: "\(time)")
    return secrets.map { "v1,\(Data(HMAC.sha256(of: content, key: $0)).base64EncodedString())" }
      .joined(separator: " ")
  }

  private static func content(of body: [UInt8], id: String, time: String) -> [UInt8] {
    Array("\(id).\(time).".utf8) + body
  }

  /// Returns true if one of the secrets signs a request.
  ///
  /// - Parameters:
  ///   - header: returns the value of a header; nil if the request does not have it.
  ///   - now: the time, in seconds since 1970.
  package func isValid(
    for body: [UInt8], now: Int, _ header: (String) -> String?
  ) -> Bool {
    switch scheme {
    case .github:
      guard let text = header("X-Hub-Signature-256"), text.hasPrefix("sha256=") else {
        return false
      }
      return isSigned(body, by: [String(text.dropFirst(7))]) { SHA256.hexadecimal($0) }
    case .stripe:
      let parts = HookSignature.parts(of: header("Stripe-Signature") ?? "")
      guard let time = parts.first(where: { $0.name == "t" })?.value, isRecent(time, now) else {
        return false
      }
      let given = parts.filter { $0.name == "v1" }.map(\.value)
      return isSigned(Array("\(time).".utf8) + body, by: given) { SHA256.hexadecimal($0) }
    case .standard:
      guard let id = header("webhook-id"), let time = header("webhook-timestamp"),
        isRecent(time, now), let signatures = header("webhook-signature")
      else { return false }
      let given = signatures.split(separator: " ").filter { $0.hasPrefix("v1,") }
        .map { String($0.dropFirst(3)) }
      return isSigned(HookSignature.content(of: body, id: id, time: time), by: given) {
        Data($0).base64EncodedString()
      }
    case .header(let name):
      guard let text = header(name) else { return false }
      return secrets.reduce(false) { ConstantTime.areEqual($1, Array(text.utf8)) || $0 }
    }
  }

  /// Returns true if one of the given texts is the signature of the content with one of the secrets.
  private func isSigned(
    _ content: [UInt8], by given: [String], _ text: ([UInt8]) -> String
  ) -> Bool {
    if given.isEmpty { return false }
    return secrets.reduce(false) { isValid, secret in
      let expected = Array(text(HMAC.sha256(of: content, key: secret)).utf8)
      return given.reduce(false) { ConstantTime.areEqual(expected, Array($1.utf8)) || $0 }
        || isValid
    }
  }

  /// Returns the names and values of a header such as `t=1700000000,v1=5257a8`.
  private static func parts(of header: String) -> [(name: String, value: String)] {
    header.split(separator: ",").compactMap { part in
      let sides = part.split(separator: "=", maxSplits: 1).map { String($0) }
      guard sides.count == 2 else { return nil }
      return (name: String(sides[0].drop(while: { $0 == " " })), value: sides[1])
    }
  }

  private func isRecent(_ time: String, _ now: Int) -> Bool {
    guard let time = Int(time), (0...1 << 53).contains(time) else { return false }
    return abs(now - time) <= HookSignature.tolerance
  }
}
