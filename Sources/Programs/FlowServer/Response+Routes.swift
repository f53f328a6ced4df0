#if Server
  import FlowLanguage
  import HTTPTypes
  import Hummingbird
  import LuaRuntime
  import NIOCore
  import NIOHTTP1
  import NIOHTTPTypes

  extension Response {
    /// Returns the response; `body` runs if it cannot be written, because its connection has ended.
    func orElse(_ body: @escaping @Sendable () async -> Void) -> Response {
      var response = self
      let (whole, unsent) = (self.body, UnsentResponse(body))
      response.body = ResponseBody(contentLength: whole.contentLength) { writer in
        try await whole.write(writer)
        unsent.end()
      }
      return response
    }

    /// Returns a response with server-sent events, which `body` writes.
    static func events(
      _ body: @escaping @Sendable (inout any ResponseBodyWriter) async throws -> Void
    ) -> Response {
      Response(
        status: .ok,
        headers: [
          .contentType: "text/event-stream", .cacheControl: "no-store",
          .xContentTypeOptions: "nosniff",
        ],
        body: ResponseBody(body))
    }
  }
#endif
