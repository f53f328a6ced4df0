#if Server
  import HTTPTypes
  import HostFiles
  import Hummingbird
  import LuaRuntime
  import NIOCore

  /// Makes the arguments of a webhook's function from a request.
  enum HookRequest {
    /// Returns the event in a body of JSON, or in a form; an empty record for an empty body.
    static func event(in body: ByteBuffer, type: String?) throws -> Value {
      guard let text = String(validating: body.readableBytesView, as: UTF8.self) else {
        throw Problem.badRequest("the body is not UTF-8")
      }
      if text.isEmpty { return .record([:]) }
      let name = (type ?? "application/json").prefix { $0 != ";" }.lowercased()
        .filter { $0 != " " }
      if name == "application/x-www-form-urlencoded" {
        guard let form = Call.record(ofForm: text) else {
          throw Problem.badRequest("the form is not UTF-8")
        }
        return form
      }
      guard name == "application/json" || name.hasSuffix("+json") else {
        throw Problem(
          .unsupportedMediaType,
          "a body must be application/json or application/x-www-form-urlencoded, not \(name)")
      }
      do {
        return try JSONText.value(of: text)
      } catch {
        throw Problem.badRequest("the body is not JSON: \(error)")
      }
    }

    /// Returns the headers, whose names are in lower case, and the query.
    static func request(_ headers: HTTPFields, query: String) throws -> Value {
      guard let query = Call.record(ofForm: query) else {
        throw Problem.badRequest("the query is not UTF-8")
      }
      let fields = headers.map { HTTPTaskHeader($0.name.canonicalName, $0.value) }
      return ["headers": fields.record, "query": query]
    }
  }
#endif
