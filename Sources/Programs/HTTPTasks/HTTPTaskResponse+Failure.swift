#if Server
  import AsyncHTTPClient
  import HostFiles
  import NIOCore
  import NIOHTTP1
  import NIOSSL
  import Platform

  extension HTTPTaskResponse {
    /// The error of a response of which the head came, but not all of the body.
    struct Broken: Error {
      let cause: any Error
    }

    /// Returns true for an error before there was a connection, so that another address may be tried.
    static func isUnconnected(_ error: any Error) -> Bool {
      switch error {
      case let error as IOError:
        [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, EADDRNOTAVAIL, EAFNOSUPPORT]
          .contains(error.errnoCode)
      case let error as HTTPClientError: error == .connectTimeout
      default: false
      }
    }

    /// Describes the error of a request to a host.
    init(of error: any Error, from host: String) {
      switch error {
      case let error as Broken: self = Self.describe(error.cause, host, isBroken: true)
      default: self = Self.describe(error, host, isBroken: false)
      }
    }

    private static func describe(
      _ error: any Error, _ host: String, isBroken: Bool
    ) -> HTTPTaskResponse {
      switch error {
      case is CancellationError: .interrupted
      case let error as NameLookup.Failure: describe(error, host)
      case let error as TLSFileFault: .refused("\(error)")
      case let error as IOError: .failed(text(of: error.errnoCode))
      case let error as HTTPClientError: describe(error, isBroken: isBroken)
      case HTTPParserError.invalidEOFState: closed(isBroken: isBroken)
      case HTTPParserError.headerOverflow: .refused("the head of the answer is too large")
      case is HTTPParserError: .failed("the answer is not valid HTTP")
      case NIOSSLError.uncleanShutdown: closed(isBroken: isBroken)
      case NIOSSLError.handshakeFailed(let error): describe(error, host)
      case let error as BoringSSLError: describe(error, host)
      case is NIOSSLExtraError: .refused("the certificate is not one of \(host)")
      case NIOSSLError.noCertificateToValidate, NIOSSLError.unableToValidateCertificate:
        .refused("the certificate of \(host) cannot be verified")
      case NIOSSLError.failedToLoadCertificate, NIOSSLError.failedToLoadPrivateKey:
        .refused("tls: the certificate and the key cannot be used")
      case is NIOSSLError: .failed("TLS with \(host) failed")
      default: .failed("the request failed: \(error)")
      }
    }

    private static func describe(_ error: NameLookup.Failure, _ host: String) -> HTTPTaskResponse {
      switch error {
      case .unknown: .failed("the name \(host) is not known")
      case .failed(let reason): .failed("the name \(host) cannot be looked up: \(reason)")
      case .cancelled: .interrupted
      }
    }

    private static func describe(_ error: HTTPClientError, isBroken: Bool) -> HTTPTaskResponse {
      switch error {
      case .cancelled, .alreadyShutdown: .interrupted
      case .connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout:
        .failed("no connection within \(HTTPTaskClients.connectSeconds) s")
      case .remoteConnectionClosed: closed(isBroken: isBroken)
      case .invalidURL, .emptyHost, .emptyScheme: .refused("the URL is not one of http or https")
      case .traceRequestWithBody: .refused("a request with the method TRACE has no body")
      default:
        if error.shortDescription.hasPrefix("Invalid header") {
          .refused("a header of the request has characters that are not allowed")
        } else {
          .failed("the request failed: \(error.shortDescription.lowercased())")
        }
      }
    }

    /// Describes an error of TLS.
    private static func describe(_ error: BoringSSLError, _ host: String) -> HTTPTaskResponse {
      let reasons: NIOBoringSSLErrorStack
      switch error {
      case .sslError(let stack), .unknownError(let stack): reasons = stack
      default: return .failed("connection reset")
      }
      if reasons.contains(.eofDuringHandshake) {
        return .failed("the connection was closed during the TLS handshake")
      }
      let text = reasons.map(\.description).joined(separator: " ")
      func isAbout(_ names: String...) -> Bool { names.contains { text.contains($0) } }
      if isAbout("CERTIFICATE_VERIFY_FAILED") {
        return .refused("the certificate of \(host) is not trusted, or has expired")
      }
      if isAbout("KEY_VALUES_MISMATCH") {
        return .refused("tls: the key is not one of the certificate")
      }
      if isAbout("UNSUPPORTED_PROTOCOL", "PROTOCOL_VERSION", "WRONG_VERSION_NUMBER") {
        return .refused("\(host) does not speak TLS 1.2 or a later version")
      }
      if isAbout("CERTIFICATE", "UNKNOWN_CA", "ALERT_HANDSHAKE_FAILURE", "ACCESS_DENIED") {
        return .refused("\(host) does not accept the certificate of this client, or asks for one")
      }
      let reason = text.split(separator: ":").last.map(String.init) ?? text
      return .failed("TLS with \(host) failed: \(reason)")
    }

    private static func closed(isBroken: Bool) -> HTTPTaskResponse {
      .failed(
        isBroken
          ? "the connection was closed before the end of the answer"
          : "the connection was closed before an answer")
    }

    private static func text(of code: Int32) -> String {
      switch code {
      case ECONNREFUSED: return "connection refused"
      case ECONNRESET, EPIPE: return "connection reset"
      case EHOSTUNREACH, ENETUNREACH: return "the address cannot be reached"
      default:
        guard let text = strerror(code) else { return "error \(code)" }
        return String(cString: text).lowercased()
      }
    }
  }
#endif
