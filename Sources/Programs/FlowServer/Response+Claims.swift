#if Server
  import Hummingbird

  extension Response {
    /// Returns the response with a function that is called if it could not be written.
    ///
    /// A connection may also break after the system has accepted the bytes, of which nobody learns here.
    func ifUnwritten(_ lost: @escaping @Sendable () async -> Void) -> Response {
      let body = body
      var response = self
      response.body = ResponseBody(contentLength: body.contentLength) { writer in
        do {
          try await body.write(writer)
        } catch {
          await lost()
          throw error
        }
      }
      return response
    }
  }
#endif
