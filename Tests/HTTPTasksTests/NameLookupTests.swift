#if Server
  import Platform
  import Testing

  @testable import HTTPTasks

  /// The lookup of names.
  @Suite(.timeLimit(.minutes(5))) struct NameLookupTests {
    @Test("localhost stands for loopback addresses, each listed once")
    func localhost() async throws {
      let addresses = try await NameLookup.addresses(of: "localhost")
      #expect(!addresses.isEmpty && addresses.allSatisfy { $0.use == .loopback })
      #expect(Set(addresses).count == addresses.count)
    }

    @Test("an address stands for itself", arguments: ["127.0.0.1", "::1", "10.0.0.1"])
    func address(text: String) async throws {
      #expect(try await NameLookup.addresses(of: text).map(\.description) == [text])
    }

    @Test("other forms of an address are looked up as the system reads them")
    func forms() async throws {
      let addresses = try await NameLookup.addresses(of: "2130706433")
      #expect(addresses.map(\.description) == ["127.0.0.1"])
    }

    @Test("a cancelled task does not wait for the system")
    func cancelled() async {
      let task = Task { () -> Bool in
        while !Task.isCancelled { await Task.yield() }
        do {
          _ = try await NameLookup.addresses(of: "localhost")
          return false
        } catch {
          if case NameLookup.Failure.cancelled = error { return true }
          return false
        }
      }
      task.cancel()
      #expect(await task.value)
    }
  }
#endif
