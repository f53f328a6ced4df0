#if Server
  import HostFiles
  import NIOSSL

  extension TLSConfiguration {
    /// Returns the configuration of a client.
    ///
    /// - Parameter files: the texts of files in PEM; nil for the system's certificates.
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
      _ text: String, option: String
    ) throws(TLSFileFault) -> [NIOSSLCertificate] {
      do {
        return try NIOSSLCertificate.fromPEMBytes(Array(text.utf8))
      } catch {
        throw TLSFileFault(option: option)
      }
    }

    private static func privateKey(_ text: String) throws(TLSFileFault) -> NIOSSLPrivateKey {
      do {
        return try NIOSSLPrivateKey(bytes: Array(text.utf8), format: .pem)
      } catch {
        throw TLSFileFault(option: "key")
      }
    }
  }
#endif
