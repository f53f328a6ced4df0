#if Server
  import FlowLanguage
  import HTTPTypes
  import Hummingbird
  import LuaRuntime
  import NIOCore
  import NIOHTTP1
  import NIOHTTPTypes

  extension Response {
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
