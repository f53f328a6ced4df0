import FlowKernel
import LuaRuntime
import Testing

@testable import HostFiles

/// The arguments and results of capabilities that a host file provides.
@Suite struct HostCapabilityChecksTests {
  private let folder: HostFolder

  init() throws { folder = try HostFolder() }

  /// Returns a capability whose worker has these options.
  private func capability(_ options: String) throws -> TaskCapability {
    try #require(folder.load("provide { charge = worker { \(options) } }").tasks["root.charge"])
  }

  @Test("arguments in order become a record, with defaults filled in")
  func list() throws {
    let charge = try capability(
      """
      args = { { "cents", integer { min = 1 } }, { "currency", string { default = "EUR" } },
        { "note", optional(string) } }
      """)
    #expect(arguments(of: [250], charge).0 == ["cents": 250, "currency": "EUR"])
    #expect(
      arguments(of: [250, "USD", "x"], charge).0
        == ["cents": 250, "currency": "USD", "note": "x"])
    #expect(arguments(of: [250, .nil, .nil, .nil], charge).0?["currency"] == "EUR")
    #expect(
      arguments(of: ["x", 1], charge).error
        == "cents must be an integer of at least 1, got \"x\"; currency must be a string, got 1")
    #expect(
      arguments(of: [], charge).error
        == "cents must be an integer of at least 1, but is missing")
    #expect(
      arguments(of: [1, "EUR", "x", 4], charge).error
        == "it takes 3 arguments (cents, currency, note), and got 4")
  }

  @Test("too many arguments are counted in words that fit any number")
  func tooMany() throws {
    for (args, sentence) in [
      ("{ \"a\" }", "it takes 1 argument (a), and got 3"),
      ("{ \"a\", \"b\" }", "it takes 2 arguments (a, b), and got 3"),
    ] {
      let charge = try capability("args = \(args)")
      #expect(arguments(of: [1, 2, 3], charge).error == sentence)
    }
  }

  @Test("an argument without a type may be any value, and must be there")
  func untyped() throws {
    let mail = try capability("args = { \"text\", \"more\" }")
    #expect(arguments(of: ["a", [1, 2]], mail).0 == ["text": "a", "more": [1, 2]])
    // Nothing is no value.
    #expect(arguments(of: ["a"], mail).error == "more is missing")
  }

  @Test("fields that are declared make up the one record that a call takes")
  func record() throws {
    let charge = try capability("args = { cents = integer, note = optional(string) }")
    #expect(arguments(of: [["cents": 1]], charge).0 == ["cents": 1])
    #expect(
      arguments(of: [["cents": "x", "more": 1]], charge).error
        == "cents must be an integer, got \"x\"; more is not a field of this payload")
    #expect(arguments(of: [1], charge).error.contains("must be a record of cents, note, got 1"))
    #expect(
      arguments(of: [["cents": 1], 2], charge).error
        == "it takes one record: self:charge { ... }")
  }

  @Test("without args, a call takes one record with any fields, or nothing")
  func anyRecord() throws {
    let ping = try capability("")
    #expect(arguments(of: [], ping).0 == [:])
    #expect(arguments(of: [.nil], ping).0 == [:])
    #expect(arguments(of: [["a": 1, "b": [true]]], ping).0 == ["a": 1, "b": [true]])
    for values in [[1], [["a": 1], 2]] as [[Value]] {
      #expect(arguments(of: values, ping).error.hasPrefix("it takes one record, self:charge {"))
    }
  }

  @Test("patterns of the flow language hold for arguments and results")
  func patterns() throws {
    let charge = try capability(
      """
      args = { { "word", string { pattern = "^%l+$", max_length = 5 } } },
        result = list_of(string { pattern = "^r%d+$" })
      """)
    #expect(arguments(of: ["abc"], charge).0 == ["word": "abc"])
    for word in ["ABC", "abcdef", ""] as [Value] {
      #expect(arguments(of: [word], charge).error.hasPrefix("word must be"), "\(word)")
    }
    #expect(charge.faults(["r1", "r22"]) == [])
    #expect(charge.faults(["r1", "x"]).first?.hasPrefix("result[2] must be") == true)
  }

  @Test("a result that does not fit has an error for each field; without a type any result fits")
  func results() throws {
    let charge = try capability("result = { id = string, cents = optional(integer) }")
    #expect(charge.faults(["id": "r-1"]) == [])
    #expect(
      charge.faults(["id": 7, "cents": "x"]).sorted() == [
        "result.cents must be an integer, got \"x\"", "result.id must be a string, got 7",
      ])
    #expect(charge.faults(.nil).count == 1 && charge.faults(["id": "a", "b": 1]).count == 1)
    let ping = try capability("")
    for result in [.nil, 1, ["a": [1]]] as [Value] { #expect(ping.faults(result) == []) }
  }

  @Test("a result gets the defaults of its type, and whole numbers become integers")
  func defaults() throws {
    let charge = try capability(
      """
      result = { id = string, cents = integer { default = 5 },
        more = optional({ currency = string { default = "EUR" } }) }
      """)
    #expect(charge.filled(["id": "r-1"]) == ["id": "r-1", "cents": 5])
    #expect(
      charge.filled(["id": "r-1", "cents": .number(7), "more": [:]])
        == ["id": "r-1", "cents": 7, "more": ["currency": "EUR"]])
    let list = try capability("result = list_of({ n = integer { default = 1 } })")
    #expect(list.filled([[:], ["n": 2]]) == [["n": 1], ["n": 2]])
    let ping = try capability("")
    for result in [.nil, 1.5, ["a": [1]]] as [Value] { #expect(ping.filled(result) == result) }
  }

  @Test("secrets of arguments and of results are dots where they are shown")
  func secrets() throws {
    let charge = try capability(
      """
      args = { { "card", string { secret = true } }, "cents" },
        result = { receipt = string, pin = string { secret = true } }
      """)
    #expect(
      charge.hiding(["card": "4111", "cents": 250]) == ["card": "•••", "cents": 250])
    #expect(
      charge.hidingResult(["receipt": "r-1", "pin": "1234"]) == ["receipt": "r-1", "pin": "•••"])
    let record = try capability("args = { card = string { secret = true } }")
    #expect(record.hiding(["card": "4111"]) == ["card": "•••"])
    let ping = try capability("")
    #expect(ping.hiding(["card": "4111"]) == ["card": "4111"])
    #expect(ping.hidingResult("r-1") == "r-1")
  }

  @Test("many calls may be checked at the same time")
  func concurrent() async throws {
    let charge = try capability("args = { { \"word\", string { pattern = \"^%l+$\" } } }")
    let fit = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<64 {
        group.addTask {
          arguments(of: [number % 2 == 0 ? "abc" : "ABC"], charge).error.isEmpty
            == (number % 2 == 0)
        }
      }
      return await group.reduce(true) { $0 && $1 }
    }
    #expect(fit)
  }
}
