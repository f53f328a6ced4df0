import FlowKernel
import LuaRuntime
import Testing

/// Values of Swift types as plain values.
@Suite struct ValueCodingTests {
  private struct Item: Codable, Equatable {
    var name: String
    var price: Double
    var note: String?
  }

  @Test("a Swift value is encoded as a plain value, and decoded from it")
  func both() throws {
    let tea = Item(name: "tea", price: 3.5)
    let value = try Value(encoding: [tea])
    #expect(value == [["name": "tea", "price": 3.5]])
    #expect(try value.decoded(as: [Item].self) == [tea])
    let items: [Item] = try value.decoded()
    #expect(items == [tea])
  }

  @Test("a value that cannot be encoded, or is of another type, throws")
  func errors() throws {
    struct Unencodable: Encodable {
      func encode(to encoder: any Encoder) throws {
        throw EncodingError.invalidValue(self, .init(codingPath: [], debugDescription: "no"))
      }
    }
    #expect(throws: EncodingError.self) { try Value(encoding: Unencodable()) }
    #expect(throws: DecodingError.self) { try Value.integer(1).decoded(as: [Item].self) }
  }
}
