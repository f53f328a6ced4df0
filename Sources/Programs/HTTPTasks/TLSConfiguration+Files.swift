#if Server
  import HostFiles
  import NIOSSL

  extension TLSConfiguration {
    /// Returns the configuration of a client with these files; nil for none.
    static func client(_ files: HTTPTaskTLS?) throws(TLSFileFault) -> TLSConfiguration {
      var configuration = TLSConfiguration.makeClientConfiguration()
      configuration.minimumTLSVersion = .tlsv12
      configuration.certificateVerification = .fullVerification
      if let authorities = files?.authorities {
        configuration.trustRoots = .certificates(try certificates(authorities, option: "ca"))
      }
      if let certificate = files?.certificate {
        configuration.certificateChain = try certificates(certificate, option: "cert").map {
          .certificate($0)
        }
      }
      if let key = files?.key { configuration.privateKey = .privateKey(try privateKey(key)) }
      return configuration
    }

    private static func certificates(
      _ source: String, option: String
    ) throws(TLSFileFault) -> [NIOSSLCertificate] {
      do {
        if isPEM(source) { return try NIOSSLCertificate.fromPEMBytes(Array(source.utf8)) }
        return try NIOSSLCertificate.fromPEMFile(source)
      } catch {
        throw TLSFileFault(option: option, path: isPEM(source) ? nil : source)
      }
    }

    private static func privateKey(_ source: String) throws(TLSFileFault) -> NIOSSLPrivateKey {
      do {
        if isPEM(source) {
          return try NIOSSLPrivateKey(bytes: Array(source.utf8), format: .pem)
        }
        return try NIOSSLPrivateKey(file: source, format: .pem)
      } catch {
        throw TLSFileFault(option: "key", path: isPEM(source) ? nil : source)
      }
    }

    /// Returns true for the text of a file, and false for its path.
    private static func isPEM(_ source: String) -> Bool { source.contains("-----BEGIN ") }
  }
#endif
