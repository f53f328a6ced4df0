#if Server
  import Testing

  @testable import ServeCLI

  /// The arguments of `moonlatch serve`.
  @Suite struct ServeCommandTests {
    @Test(
      "a lease is a length of time from a second to an hour",
      arguments: [
        ("1", Duration.seconds(1)), ("5s", .seconds(5)), ("1m30s", .seconds(90)),
        ("1h", .seconds(3_600)), ("1500ms", .milliseconds(1_500)),
      ])
    func lease(text: String, lease: Duration) throws {
      #expect(try ServeCommand.parse(["a.lua", "--lease", text]).lease == lease)
      #expect(try ServeCommand.parse(["a.lua"]).lease == nil)
    }

    @Test(
      "another lease is an error that says what is allowed",
      arguments: ["0", "0.5s", "999ms", "1h1s", "-5s", "soon", "5 s", "1e3", "nan", "inf"])
    func wrongLease(text: String) throws {
      let error = #expect(throws: (any Error).self) {
        try ServeCommand.parse(["a.lua", "--lease=\(text)"])
      }
      let told = ServeCommand.message(for: try #require(error))
      #expect(told.contains("--lease"), "\(told)")
      #expect(told.contains("a length of time from 1s to 1h, such as 5s or 1m30s"), "\(told)")
    }
  }
#endif
