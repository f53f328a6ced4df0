#if Server
  import HTTPTypes
  import Hummingbird

  extension Call {
    /// The revision that the sender expects of the case; nil for any.
    func expectedRevision() throws -> Int? {
      try EntityTag.revision(ifMatch: request.headers[.ifMatch])
    }

    /// The key under which the request is to be done once; nil where there is none.
    func key() throws -> String? { try IdempotencyKey.read(request.headers[.idempotencyKey]) }

    /// An answer with its version, or 304 alone if the sender has that.
    func tagged(_ response: Response, _ tag: EntityTag) -> Response {
      var response =
        tag.isKnown(to: request.headers[.ifNoneMatch]) ? Response(status: .notModified) : response
      response.headers[.eTag] = tag.text
      return response
    }
  }
#endif
