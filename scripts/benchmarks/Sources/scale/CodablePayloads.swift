import Bench
import Foundation
@_spi(Benchmarks) import Moonlatch

/// Payloads of Codable types: how the time grows with their elements, and records against Foundation's JSON.
enum CodablePayloads {
  private struct Coin: Codable, Equatable {
    var amount: Int
    var note: String
  }

  private struct Order: Codable, Equatable {
    struct Place: Codable, Equatable {
      var street: String
      var floors: [Int]
    }

    var number: Int
    var title: String
    var isPaid: Bool
    var price: Double
    var note: String?
    var place: Place
  }

  private static let rounds = 60

  static func measure(_ report: inout BenchmarkReport) throws {
    report.title("Codable payloads: the least of \(rounds) rounds")
    try growth(&report)
    try records(&report)
  }

  private static func growth(_ report: inout BenchmarkReport) throws {
    let times = try Stopwatch.best(of: [encoding(8_000), encoding(800)], rounds: rounds)
    report.figure("a payload of 8,000 elements", times[0] / 1e6, "ms")
    report.target(
      "Codable payloads of 8,000 against 800", times[0] / times[1], atMost: 11)
  }

  private static func encoding(_ size: Int) throws -> Stopwatch.Candidate {
    let coins = (1...size).map { Coin(amount: $0, note: "coin \($0)") }
    try WrongResult.unless(
      try Value(encoding: coins).decoded(as: [Coin].self) == coins, "the coins did not come back")
    // As many coins in each, so that the short one is not over before the clock has ticked.
    return .init(name: "encoding", count: 8_000 / size) { count in
      for _ in 0..<count { _ = try Value(encoding: coins) }
    }
  }

  private static func records(_ report: inout BenchmarkReport) throws {
    let orders = (1...1_000).map { number in
      Order(
        number: number, title: "order number \(number)", isPaid: number % 2 == 0,
        price: Double(number) + 0.25, note: number % 3 == 0 ? nil : "note",
        place: Order.Place(street: "street \(number)", floors: [number, 2, 3]))
    }
    let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
    let candidates: [Stopwatch.Candidate] = [
      candidate(orders) { try Value(encoding: orders).decoded(as: [Order].self) },
      candidate(orders) {
        try Value(encoding: orders).throughBytes().decoded(as: [Order].self)
      },
      candidate(orders) { try decoder.decode([Order].self, from: encoder.encode(orders)) },
    ]
    let times = try Stopwatch.best(of: candidates, rounds: rounds)
    report.figure("1,000 records to a value and back", times[0] / 1e6, "ms")
    report.figure("the same through the bytes that cross to Lua", times[1] / 1e6, "ms")
    report.figure("the same through JSON", times[2] / 1e6, "ms")
    report.target(
      "1,000 records there and back against JSONEncoder and JSONDecoder", times[0] / times[2],
      atMost: 1)
    report.target("the same through the bytes that cross to Lua", times[1] / times[2], atMost: 1)
  }

  private static func candidate(
    _ orders: [Order], _ body: @escaping () throws -> [Order]
  ) -> Stopwatch.Candidate {
    .init(name: "records", count: 1) { _ in
      try WrongResult.unless(try body() == orders, "the records did not come back")
    }
  }
}
