#if Server
  import Hummingbird
  import Synchronization
  import Testing

  @testable import FlowServer

  /// Responses that are not written as a whole.
  @Suite(.timeLimit(.minutes(5))) struct UnsentResponseTests {
    /// A writer whose connection may have ended.
    private struct Writer: ResponseBodyWriter {
      struct Ended: Error {}
      let isOpen: Bool

      mutating func write(_ buffer: ByteBuffer) async throws {
        if !isOpen { throw Ended() }
      }

      consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }

    /// Counts the responses that were not written.
    private final class Unsent: Sendable {
      private let number = Atomic(0)
      var count: Int { number.load(ordering: .relaxed) }
      func add() { number.add(1, ordering: .relaxed) }
    }

    private func response(_ unsent: Unsent) -> Response {
      Response.json(["tasks": []]).orElse { unsent.add() }
    }

    @Test(
      "a response whose body cannot be written calls the function, and one that is written does not"
    )
    func body() async throws {
      let unsent = Unsent()
      try await response(unsent).body.write(Writer(isOpen: true))
      await #expect(throws: Writer.Ended.self) {
        try await response(unsent).body.write(Writer(isOpen: false))
      }
      while unsent.count == 0 { await Task.yield() }
      #expect(unsent.count == 1)
    }

    @Test("a response that is dropped before its body is written calls the function")
    func dropped() async throws {
      let unsent = Unsent()
      do {
        let dropped = response(unsent)
        #expect(dropped.body.contentLength ?? 0 > 0)
      }
      while unsent.count == 0 { await Task.yield() }
    }
  }
#endif
