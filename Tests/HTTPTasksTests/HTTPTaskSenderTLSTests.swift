#if Server
  import HostFiles
  import NIOSSL
  import Testing

  @testable import HTTPTasks

  /// Requests to a server on this machine that speaks TLS.
  @Suite(.timeLimit(.minutes(5))) struct HTTPTaskSenderTLSTests {
    private static let authority = HTTPTaskTLS(
      authorities: TestCertificate.certificate, certificate: nil, key: nil)
    private let sender: HTTPTaskSender

    init() throws {
      let address = try #require(NetworkAddress("127.0.0.1"))
      sender = HTTPTaskSender(allowsPrivate: false) { _ in [address] }
    }

    private func send(
      to server: ScriptedServer, host: String = "localhost", _ tls: HTTPTaskTLS? = Self.authority
    ) async -> HTTPTaskResponse {
      await sender.send(
        HTTPTaskRequest(
          method: "GET", url: "https://\(host):\(server.port)/", network: .named, tls: tls))
    }

    @Test("a certificate that is trusted is accepted")
    func trusted() async throws {
      let server = try await ScriptedServer(.response("200 OK"), tls: TestCertificate.server())
      guard case .received(200, _, _) = await send(to: server) else {
        Issue.record("no response")
        return
      }
    }

    @Test("a certificate that is not trusted is refused, and no request is sent")
    func untrusted() async throws {
      let server = try await ScriptedServer(.response("200 OK"), tls: TestCertificate.server())
      #expect(
        await send(to: server, nil)
          == .refused("the certificate of localhost is not trusted, or has expired"))
      #expect(server.record.requests.isEmpty)
    }

    @Test("the certificate of another name is refused")
    func otherName() async throws {
      let server = try await ScriptedServer(.response("200 OK"), tls: TestCertificate.server())
      #expect(
        await send(to: server, host: "bank.example")
          == .refused("the certificate is not one of bank.example"))
      #expect(server.record.requests.isEmpty)
    }

    @Test("a server without TLS 1.2 is refused")
    func version() async throws {
      let server = try await ScriptedServer(
        .response("200 OK"), tls: TestCertificate.server { $0.maximumTLSVersion = .tlsv11 })
      #expect(
        await send(to: server) == .refused("localhost does not speak TLS 1.2 or a later version"))
    }

    @Test("a server that asks for a certificate is given that of tls")
    func clientCertificate() async throws {
      let authorities = try NIOSSLCertificate.fromPEMBytes(
        Array(TestCertificate.certificate.utf8))
      let context = try TestCertificate.server {
        $0.certificateVerification = .noHostnameVerification
        $0.trustRoots = .certificates(authorities)
        // In TLS 1.3 the server asks after the client's first request, and may reset the connection.
        $0.maximumTLSVersion = .tlsv12
      }
      let server = try await ScriptedServer(.response("200 OK"), tls: context)
      let tls = HTTPTaskTLS(
        authorities: TestCertificate.certificate, certificate: TestCertificate.certificate,
        key: TestCertificate.key)
      guard case .received(200, _, _) = await send(to: server, tls) else {
        Issue.record("no response")
        return
      }
      let refused = await send(to: server)
      guard case .refused = refused else {
        Issue.record("\(refused)")
        return
      }
    }

    @Test("texts without a certificate or a key are refused, and no connection is opened")
    func files() async throws {
      let server = try await ScriptedServer(.silence)
      #expect(
        await send(
          to: server,
          HTTPTaskTLS(authorities: TestCertificate.key, certificate: nil, key: nil))
          == .refused("tls.ca: there is no certificate in PEM in its text"))
      #expect(
        await send(
          to: server,
          HTTPTaskTLS(authorities: nil, certificate: nil, key: TestCertificate.certificate))
          == .refused("tls.key: there is no private key in PEM in its text"))
      #expect(server.record.connections == 0)
    }
  }
#endif
