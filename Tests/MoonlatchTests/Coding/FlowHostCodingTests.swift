import FlowHosting
import FlowKernel
import Platform
import Testing

@Suite struct HostCodingTests {
  private struct Coin: Codable, Equatable, Sendable {
    var amount: Int
    var note: String?
    var weights: [Double] = []
    var byNumber: [Int: String] = [:]
  }

  private struct Unreadable: Encodable {
    let sizes: [UInt64] = [1, .max]
  }

  private let flow = """
    state { last = map {}, count = 0 }
    action.coin { amount = integer, note = optional(string), weights = list_of(number),
      byNumber = map_of { string, key = integer } }
    action.raw { value = any }
    function reduce.coin(s, a)
      s.count = s.count + a.amount
      s.last = { amount = a.amount, note = a.note, weights = a.weights, byNumber = a.byNumber }
    end
    function view.count(s) return s.count end
    function view.last(s) return s.last end
    function view.mixed(s) return { { amount = 1 }, { amount = "x" } } end
    """

  @Test("a payload and a view may be Codable types")
  func roundTrip() throws {
    let host = try FlowHost(source: flow)
    let coin = Coin(amount: 2, note: nil, weights: [1, 2.5], byNumber: [5: "five"])
    #expect(try host.may("coin", coin).isGranted)
    #expect(try host.dispatch("coin", coin).isPassed)
    let count: Int = try host.view("count")
    #expect(count == 2)
    #expect(try host.view("last", as: Coin.self) == coin)
    let plain = try host.view("count")
    #expect(plain == .integer(2))
  }

  @Test("a payload that cannot be encoded is a failure that names its path")
  func unencodable() throws {
    let host = try FlowHost(source: flow)
    let failure = try #require(
      {
        if case .failed(let failure) = try host.dispatch("raw", ["value": Unreadable()]) {
          failure
        } else {
          nil
        }
      }())
    #expect(failure.kind == .payload)
    #expect(
      failure.description
        == "action raw: the payload cannot be encoded: value.sizes[2]: 18446744073709551615 does not fit into a 64-bit integer"
    )
  }

  @Test("a view of another type is an error that names the view, the type and the path")
  func mismatch() throws {
    let host = try FlowHost(source: flow)
    let error = try #require(throws: ViewError.self) {
      try host.view("mixed", as: [[String: Int]].self)
    }
    #expect(
      "\(error)"
        == "view mixed is not of type Array<Dictionary<String, Int>>: [2].amount: expected an integer, got \"x\""
    )
    let small = try #require(throws: ViewError.self) {
      _ = try FlowHost(source: "state { n = 300 } function view.n(s) return s.n end").view(
        "n", as: UInt8.self)
    }
    #expect("\(small)".hasSuffix("expected an integer from 0 to 255, got 300"))
  }

  @Test("a subscriber gets values of its type, and an error for a mismatch")
  func subscribing() throws {
    let host = try FlowHost(source: flow)
    let told = Mutex<[String]>([])
    try host.subscribe("count", as: Int.self, owner: host) { _, value in
      told.withLock { $0.append("\((try? value.get()) ?? -1)") }
    }
    try host.subscribe("count", as: Bool.self, owner: host) { _, value in
      if case .failure(.mismatch(let text)) = value { told.withLock { $0.append(text) } }
    }
    #expect(
      told.withLock { $0 }
        == ["0", "view count is not of type Bool: expected a boolean, got 0"])
  }
}
