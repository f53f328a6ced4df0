#if Server
  import Platform
  import StateBlocks

  /// The lookup of names by the system, on threads of its own, since it may block for many seconds.
  enum NameLookup {
    enum Failure: Error {
      /// No address has the name.
      case unknown
      /// The lookup failed for this reason.
      case failed(String)
      /// The task was cancelled.
      case cancelled
    }

    /// Returns the addresses of a name or of an address, without repetitions: at least one.
    ///
    /// A cancelled task does not wait for the system.
    static func addresses(of name: String) async throws(Failure) -> [NetworkAddress] {
      if let address = NetworkAddress(name) { return [address] }
      if Task.isCancelled { throw Failure.cancelled }
      let answer = Promise<Result<[NetworkAddress], Failure>>()
      guard SystemThread.start({ answer.fulfill(lookUp(name)) }) else {
        throw Failure.failed("the system has no more threads")
      }
      let result = await withTaskCancellationHandler {
        await answer.value
      } onCancel: {
        answer.fulfill(.failure(.cancelled))
      }
      return try result.get()
    }

    private static func lookUp(_ name: String) -> Result<[NetworkAddress], Failure> {
      var hints = addrinfo()
      hints.ai_family = AF_UNSPEC
      #if canImport(Glibc)
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
      #else
        hints.ai_socktype = SOCK_STREAM
      #endif
      var found: UnsafeMutablePointer<addrinfo>?
      let code = getaddrinfo(name, nil, &hints, &found)
      defer { if let found { freeaddrinfo(found) } }
      if code == EAI_NONAME { return .failure(.unknown) }
      if code != 0 { return .failure(.failed(text(of: code))) }
      var addresses: [NetworkAddress] = []
      var next = found
      while let info = next {
        if let socket = info.pointee.ai_addr, let address = NetworkAddress(socket),
          !addresses.contains(address)
        {
          addresses.append(address)
        }
        next = info.pointee.ai_next
      }
      return addresses.isEmpty ? .failure(.unknown) : .success(addresses)
    }

    private static func text(of code: Int32) -> String {
      guard let text = gai_strerror(code) else { return "error \(code)" }
      return String(cString: text).lowercased()
    }
  }
#endif
