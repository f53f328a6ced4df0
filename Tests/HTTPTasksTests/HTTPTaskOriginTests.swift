#if Server
  import Testing

  @testable import HTTPTasks

  /// The servers of URLs.
  @Suite struct HTTPTaskOriginTests {
    @Test("a URL has scheme, host and port, the usual one if it names none")
    func parts() throws {
      let secure = try #require(HTTPTaskOrigin("https://bank.example/charges?a=b"))
      #expect(secure.isEncrypted && secure.host == "bank.example" && secure.port == 443)
      let plain = try #require(HTTPTaskOrigin("HTTP://bank.example:8080"))
      #expect(!plain.isEncrypted && plain.host == "bank.example" && plain.port == 8_080)
      #expect(try #require(HTTPTaskOrigin("http://bank.example")).port == 80)
    }

    @Test("an address of version 6 is read without its brackets")
    func brackets() throws {
      let origin = try #require(HTTPTaskOrigin("http://[::1]:8080/a"))
      #expect(origin.host == "::1" && origin.port == 8_080)
    }

    @Test(
      "other schemes, users, ports that there are not and odd hosts are refused",
      arguments: [
        "", "bank.example", "/charges", "ftp://bank.example/", "http+unix://%2Frun%2Fdocker.sock/",
        "unix:///run/docker.sock", "http://", "http:///a", "http://user@bank.example/",
        "http://user:word@bank.example/", "http://bank.example:70000/", "http://bank.example:0/",
        "http://bank.example%0d%0aX-A:1/", "http://bank.example%20b/", "http://[fe80::1%25eth0]/",
      ])
    func refused(url: String) {
      #expect(HTTPTaskOrigin(url) == nil)
    }
  }
#endif
