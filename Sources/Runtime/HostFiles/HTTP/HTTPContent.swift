import LuaRuntime

/// The part of a response that becomes the result of a call.
struct HTTPContent: Sendable {
  let status: Int
  /// The body: JSON as a value, another text as a string, `.nil` for none.
  let body: Value
  let headers: [HTTPTaskHeader]

  /// Reads the body of a response.
  ///
  /// - Throws: an error if it is neither JSON nor text.
  init(status: Int, headers: [HTTPTaskHeader], body bytes: [UInt8]) throws(CallFault) {
    (self.status, self.headers) = (status, headers)
    guard !bytes.isEmpty else {
      body = .nil
      return
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw CallFault("the body of the response is not UTF-8 text")
    }
    guard HTTPContent.isJSON(headers.value(of: "Content-Type") ?? "") else {
      body = .string(text)
      return
    }
    do {
      body = try JSONText.value(of: text)
    } catch {
      throw CallFault("the body of the response is not JSON: \(error)")
    }
  }

  /// Returns true for `application/json`, and for types that end in `+json`.
  private static func isJSON(_ type: String) -> Bool {
    let name = type.prefix { $0 != ";" && $0 != " " }.lowercased()
    return name == "application/json" || name == "text/json" || name.hasSuffix("+json")
  }

  /// The headers as functions get them.
  var headerFields: Value { headers.record }
}
