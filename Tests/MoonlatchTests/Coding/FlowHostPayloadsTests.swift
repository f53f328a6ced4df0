import FlowHosting
import FlowKernel
import LuaRuntime
import Platform
import Testing

@Suite struct HostPayloadsTests {
  private struct Item: Codable, Equatable {
    var name: String
    var price: Double
  }

  private struct Never: Encodable {
    func encode(to encoder: any Encoder) throws {
      throw EncodingError.invalidValue(
        0, .init(codingPath: encoder.codingPath, debugDescription: "it cannot be written"))
    }
  }

  private let flow = """
    state { items = list {}, last = none }
    action.add {
      name = string, price = number, count = integer { default = 1 }, gift = boolean { default = false },
      tags = optional(list_of(string)), from = optional { name = string, price = number },
    }
    action.clear {}
    function reduce.add(s, a)
      table.insert(s.items, a.name) s.last = a.name .. " " .. a.price .. " " .. a.count
    end
    function reduce.clear(s) s.items = {} end
    """

  @Test("a payload can be written with variables of several types in every call that takes one")
  func severalTypes() async throws {
    let host = try FlowHost(source: flow, options: HostOptions(clock: .virtual))
    let (name, price, count, none) = ("tea", 3.5, 2, [String]?.none)
    try await host.dispatch("add", ["name": name, "price": price])
    let outcome = try await host.dispatch(
      "add", ["name": name + "s", "price": price, "count": count - 1])
    #expect(outcome.isPassed)
    switch try await host.dispatch(
      "add",
      [
        "name": name, "price": 4, "count": count, "gift": count > 3, "tags": none,
        "from": Item(name: name, price: price),
      ])
    {
    case .passed(let commit):
      #expect(
        commit.payload == [
          "name": "tea", "price": 4, "count": 2, "gift": false,
          "from": ["name": "tea", "price": 3.5],
        ])
    case let other: Issue.record("\(other)")
    }
    #expect(try await host.may("add", ["name": name, "price": price, "gift": true]).isGranted)
    #expect(try await host.dispatchAndWait("add", ["name": name, "price": price]).isPassed)
    #expect(try await host.state()["items"] == ["tea", "teas", "tea", "tea"])
    await #expect(
      try host.dispatch("add", ["name": count, "price": price]).description
        == "action add: name must be a string, got 2")
  }

  /// Which of the overloads of `dispatch` a payload that is written so is given to.
  private func chosen(_ payload: Value) -> String { "value" }
  @_disfavoredOverload private func chosen(_ payload: some Encodable) -> String { "encodable" }
  @_disfavoredOverload private func chosen(_ payload: KeyValuePairs<String, any Encodable>)
    -> String
  {
    "pairs"
  }

  @Test("a payload of literals and values is built as a value without encoding")
  func plain() {
    let (name, count, plain) = ("tea", 2, Value.integer(1))
    #expect(chosen([:]) == "value")
    #expect(chosen(["a": 1]) == "value")
    #expect(chosen(["a": 1, "b": "x", "c": true, "d": [1, "x"], "e": ["f": 1.5]]) == "value")
    #expect(chosen(["a": "\(name)", "b": .integer(count), "c": plain]) == "value")
    #expect(chosen(["a": name, "b": count]) == "pairs")
    #expect(chosen(["a": name, "b": 1]) == "pairs")
    #expect(chosen(["a": plain, "b": count]) == "pairs")
    #expect(chosen(["a": count, "b": 1]) == "encodable")
    #expect(chosen(Item(name: name, price: 1)) == "encodable")
  }

  @Test("a duplicate field, or one that cannot be encoded, is a failure that names it")
  func failures() throws {
    let host = try FlowHost(source: flow)
    let (name, price) = ("tea", 3.5)
    let twice = try host.dispatch("add", ["name": name, "price": price, "name": name])
    #expect(twice.failure?.kind == .payload)
    #expect(
      "\(twice)" == "action add: the payload cannot be encoded: name: the field is given twice")
    let failure = try host.may("add", ["name": Never(), "price": price]).failure
    #expect(failure?.kind == .payload)
    #expect(
      failure?.message
        == "action add: the payload cannot be encoded: name: it cannot be written")
    #expect(try host.revision == 0)
  }

  @Test("a batch may have Swift payloads, and each outcome keeps its position, failures too")
  func batch() throws {
    let host = try FlowHost(source: flow)
    let items = [Item(name: "tea", price: 1), Item(name: "cake", price: 2)]
    #expect(try host.dispatch(batch: items.map { ("add", $0) }).allSatisfy(\.isPassed))
    let mixed = try host.dispatch(
      batch: [("add", items[0]), ("add", Never()), ("clear", [:] as Value)])
    #expect(mixed.map(\.isPassed) == [true, false, true])
    #expect(mixed[1].failure?.kind == .payload)
    let (name, price) = ("bun", 2.5)
    let written = try host.dispatch(
      batch: [("add", ["name": name, "price": price]), ("add", ["name": name, "price": name])])
    #expect(written.map(\.isPassed) == [true, false])
    #expect(try host.state()["last"] == "bun 2.5 1")
    #expect(
      try host.dispatch(batch: [("add", ["name": "a", "price": 1]), ("clear", [:])]).count == 2)
  }

  @Test("a subscriber with an owner gets typed values while the owner lives")
  func owner() throws {
    final class Label: Sendable {
      let shown = Mutex<[Int]>([])
    }
    let host = try FlowHost(
      source: """
        state { n = 0 } action.add {} function reduce.add(s) s.n = s.n + 1 end
        function view.n(s) return s.n end
        """)
    let label = Label()
    try host.subscribe("n", as: Int.self, owner: label) { label, n in
      label.shown.withLock { $0.append((try? n.get()) ?? -1) }
    }
    try host.passing("add")
    #expect(label.shown.withLock { $0 } == [0, 1])
  }
}
