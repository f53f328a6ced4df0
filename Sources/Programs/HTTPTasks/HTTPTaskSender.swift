#if Server
  import AsyncHTTPClient
  @_exported import HostFiles
  import NIOCore
  import NIOHTTP1

  /// The HTTP client of a host file's capabilities and notifications.
  ///
  /// ```swift
  /// let file = try HostFile(URL(filePath: "order.host.lua"))
  /// let sender = HTTPTaskSender()
  /// let orders = try await Cases(of: order, in: journal) { file.provide(to: &$0, sending: sender) }
  /// // ...
  /// try await orders.close()
  /// await sender.close()
  /// ```
  ///
  /// For each request it looks up the name of the server, checks all of its addresses, and then connects to one of them.
  /// It follows no redirects, and uses no proxies.
  public final class HTTPTaskSender: HTTPSender {
    private let clients = HTTPTaskClients()
    /// True if requests for public addresses may go to private ones too.
    package let allowsPrivate: Bool
    private let lookUp: @Sendable (String) async throws -> [NetworkAddress]

    /// Makes a client, which opens connections as they are needed.
    ///
    /// - Parameter allowsPrivate: true if requests for public addresses may go to private ones too.
    public convenience init(allowsPrivate: Bool = false) {
      self.init(allowsPrivate: allowsPrivate) { try await NameLookup.addresses(of: $0) }
    }

    /// - Parameter lookUp: returns the addresses of a name.
    init(
      allowsPrivate: Bool, lookUp: @escaping @Sendable (String) async throws -> [NetworkAddress]
    ) {
      (self.allowsPrivate, self.lookUp) = (allowsPrivate, lookUp)
    }

    package func send(_ request: HTTPTaskRequest) async -> HTTPTaskResponse {
      await withTaskGroup(of: HTTPTaskResponse.self) { group in
        group.addTask { await self.exchange(request) }
        group.addTask { await HTTPTaskSender.wait(request.timeout) }
        let first = await group.next() ?? .interrupted
        group.cancelAll()
        return first
      }
    }

    /// Closes all connections; requests that are under way are interrupted, and later ones too.
    public func close() async { await clients.close() }

    private static func wait(_ timeout: Double) async -> HTTPTaskResponse {
      let seconds = timeout.isFinite ? min(max(timeout, 0), 86_400) : 86_400
      do { try await Task.sleep(for: .seconds(seconds)) } catch { return .interrupted }
      let text = seconds == seconds.rounded() ? "\(Int(seconds))" : "\(seconds)"
      return .failed("no answer within \(text) s")
    }

    private func exchange(_ request: HTTPTaskRequest) async -> HTTPTaskResponse {
      guard let origin = HTTPTaskOrigin(request.url) else {
        return .refused("the URL is not one of http or https")
      }
      do {
        let addresses = try await lookUp(origin.host)
        if let refusal = refusal(of: request, origin, addresses) { return .refused(refusal) }
        return try await exchange(request, origin, addresses)
      } catch {
        return Task.isCancelled ? .interrupted : HTTPTaskResponse(of: error, from: origin.host)
      }
    }

    /// Returns the reason for which a request must not be sent; nil if it may be.
    private func refusal(
      of request: HTTPTaskRequest, _ origin: HTTPTaskOrigin, _ addresses: [NetworkAddress]
    ) -> String? {
      var network = request.network
      if allowsPrivate, network == .publicOnly { network = .privateToo }
      for address in addresses {
        if let refusal = network.refusal(of: address, for: origin.host) { return refusal }
      }
      if origin.isEncrypted || request.allowsPlain { return nil }
      guard addresses.contains(where: { $0.use == .global }) else { return nil }
      return "http:// to \(origin.host) can be read on its way: use https://, or set plain = true"
    }

    /// Sends a request to the first address that accepts a connection.
    private func exchange(
      _ request: HTTPTaskRequest, _ origin: HTTPTaskOrigin, _ addresses: [NetworkAddress]
    ) async throws -> HTTPTaskResponse {
      var failure: any Error = NameLookup.Failure.unknown
      for address in addresses {
        do {
          return try await exchange(
            request, by: HTTPTaskClients.Key(origin: origin, address: address, tls: request.tls))
        } catch {
          failure = error
          if !HTTPTaskResponse.isUnconnected(error) || Task.isCancelled { break }
        }
      }
      throw failure
    }

    private func exchange(
      _ request: HTTPTaskRequest, by key: HTTPTaskClients.Key
    ) async throws -> HTTPTaskResponse {
      guard let client = try clients.acquire(key) else { return .interrupted }
      defer { clients.release(key) }
      // The time of all of it is limited by the caller; this is beyond that.
      let response = try await client.execute(
        HTTPClientRequest(request), deadline: .now() + .hours(48))
      let body: ByteBuffer
      do {
        body = try await response.body.collect(upTo: max(0, request.mostBytes))
      } catch is NIOTooManyBytesError {
        return .refused("the answer is larger than \(HTTPTaskSender.size(request.mostBytes))")
      } catch {
        throw HTTPTaskResponse.Broken(cause: error)
      }
      return .received(
        status: Int(response.status.code),
        headers: response.headers.map { HTTPTaskHeader($0.name, $0.value) },
        body: Array(body.readableBytesView))
    }

    /// The text of a number of bytes, such as `1 MiB`.
    private static func size(_ bytes: Int) -> String {
      if bytes > 0, bytes.isMultiple(of: 1 << 20) { return "\(bytes >> 20) MiB" }
      if bytes > 0, bytes.isMultiple(of: 1 << 10) { return "\(bytes >> 10) KiB" }
      return "\(bytes) bytes"
    }
  }

  extension HTTPClientRequest {
    fileprivate init(_ request: HTTPTaskRequest) {
      self.init(url: request.url)
      method = HTTPMethod(rawValue: request.method)
      for header in request.headers { headers.add(name: header.name, value: header.value) }
      if let bytes = request.body { body = .bytes(ByteBuffer(bytes: bytes)) }
    }
  }
#endif
