#if Server
  import FlowKernel
  import HTTPTypes
  import Hummingbird
  import LuaRuntime

  extension Response {
    /// Returns a response with a value as JSON.
    package static func json(_ value: Value, status: HTTPResponse.Status = .ok) -> Response {
      var response = text(JSONText.text(value), as: "application/json")
      response.status = status
      return response
    }

    /// Returns a response with a text, which must not be cached or sniffed.
    package static func text(_ text: String, as type: String) -> Response {
      let buffer = ByteBuffer(string: text)
      // Each name occurs once: appending needs no search, as setting would.
      var headers = HTTPFields()
      headers.reserveCapacity(6)
      headers.append(HTTPField(name: .contentType, value: type))
      headers.append(HTTPField(name: .contentLength, value: String(buffer.readableBytes)))
      headers.append(HTTPField(name: .cacheControl, value: "no-store"))
      headers.append(HTTPField(name: .xContentTypeOptions, value: "nosniff"))
      return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: buffer))
    }
  }
#endif
