#if Server
  import HTTPTypes
  import Hummingbird

  extension Call {
    /// Returns the revision that `If-Match` expects of the case; nil for any.
    func expectedRevision() throws -> Int? {
      try EntityTag.revision(ifMatch: request.headers[.ifMatch])
    }

    /// Returns the idempotency key of the request; nil if it has none.
    func key() throws -> String? { try IdempotencyKey.read(request.headers[.idempotencyKey]) }

    /// Returns the response with its entity tag, or 304 without a body if the sender has that version.
    func tagged(_ response: Response, _ tag: EntityTag) -> Response {
      var response =
        tag.isKnown(to: request.headers[.ifNoneMatch]) ? Response(status: .notModified) : response
      response.headers[.eTag] = tag.text
      return response
    }
  }
#endif
