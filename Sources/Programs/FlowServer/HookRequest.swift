#if Server
  import HTTPTypes
  import HostFiles
  import Hummingbird
  import LuaRuntime
  import NIOCore

  /// The values that the function of a webhook is given.
  enum HookRequest {
    /// Returns the event in a body of JSON, or in a form; an empty record for an empty body.
    static func event(in body: ByteBuffer, type: String?) throws -> Value {
      guard let text = String(validating: body.readableBytesView, as: UTF8.self) else {
        throw Problem.badRequest("the body is no UTF-8")
      }
      if text.isEmpty { return .record([:]) }
      let name = (type ?? "application/json").prefix { $0 != ";" }.lowercased()
        .filter { $0 != " " }
      if name == "application/x-www-form-urlencoded" {
        guard let form = Call.record(ofForm: text) else {
          throw Problem.badRequest("the form is no UTF-8")
        }
        return form
      }
      guard name == "application/json" || name.hasSuffix("+json") else {
        throw Problem(
          .unsupportedMediaType,
          "a body is application/json or application/x-www-form-urlencoded, not \(name)")
      }
      do {
        return try JSONText.value(of: text)
      } catch {
        throw Problem.badRequest("the body is no JSON: \(error)")
      }
    }

    /// Returns the headers, whose names are in lower case, and the query.
    static func request(_ headers: HTTPFields, query: String) throws -> Value {
      guard let query = Call.record(ofForm: query) else {
        throw Problem.badRequest("the text behind the question mark is no UTF-8")
      }
      let fields = headers.map { HTTPTaskHeader($0.name.canonicalName, $0.value) }
      return ["headers": fields.record, "query": query]
    }
  }
#endif
