#if Server
  import NIOCore

  extension Channel {
    /// Calls `body` once the client has closed the connection, or its side of it; nil ends that.
    ///
    /// A client that is gone and one that only sends nothing more look alike until something is written.
    func whenInputCloses(_ body: (@Sendable () -> Void)?) async {
      try? await eventLoop.submit { [pipeline] in
        try pipeline.syncOperations.handler(type: HTTPProtocolHandler.self).whenInputCloses(body)
      }.get()
    }
  }
#endif
