#if Server
  import NIOSSL

  /// A certificate for `localhost` that nobody trusts, valid until 2120.
  ///
  /// Made by `openssl ca -selfsign`. The key is used by tests alone.
  enum TestCertificate {
    static let certificate = """
      -----BEGIN CERTIFICATE-----
      MIIBYTCCAQegAwIBAgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlsb2NhbGhv
      c3QwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBQxEjAQBgNVBAMM
      CWxvY2FsaG9zdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABOA44s1LcpFTgy2a
      aTwr9IFgDyvrEkak+FhJdYO8rzq68qChXOSeGTcUOpZtoIW+RqJKs2KGAFkfxpsE
      w/fwYcGjSDBGMA8GA1UdEwEB/wQFMAMBAf8wFAYDVR0RBA0wC4IJbG9jYWxob3N0
      MB0GA1UdDgQWBBRogB0MRU8TsmRIWrFhWkyzJoPD8jAKBggqhkjOPQQDAgNIADBF
      AiEA92JL1pqfb61bVnmT3odmJt+oIrCVwuNo+kKlPiCYkYACIHblJO/cJaEcEsfz
      RD4/DdzVVcMS/9FWXdpUd/U+piIm
      -----END CERTIFICATE-----

      """

    static let key = """
      -----BEGIN PRIVATE KEY-----
      MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg6slWrNqrEzlMgNEX
      6OC/yl3/cXQ8AJEgMBw0EDxknZOhRANCAATgOOLNS3KRU4Mtmmk8K/SBYA8r6xJG
      pPhYSXWDvK86uvKgoVzknhk3FDqWbaCFvkaiSrNihgBZH8abBMP38GHB
      -----END PRIVATE KEY-----

      """

    /// Returns the context of a server with the certificate.
    static func server(_ change: (inout TLSConfiguration) -> Void = { _ in }) throws
      -> NIOSSLContext
    {
      var configuration = TLSConfiguration.makeServerConfiguration(
        certificateChain: try NIOSSLCertificate.fromPEMBytes(Array(certificate.utf8)).map {
          .certificate($0)
        },
        privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(key.utf8), format: .pem)))
      change(&configuration)
      return try NIOSSLContext(configuration: configuration)
    }
  }
#endif
