import LuaRuntime
import Testing

@testable import Scenarios

@Suite struct NamedPlaceTests {
  private func places(_ fields: [String: Value], _ found: Value, before: Value? = nil) -> [String] {
    NamedPlace.all(in: fields, against: found, before: before).map { "\($0.path) = \($0.value)" }
  }

  @Test("expected paths are sorted by field, and a record is split into its leaves")
  func order() {
    let found: Value = ["user": ["name": "ann", "tags": [1]], "a": 1]
    #expect(
      places(["user": ["tags": [2], "name": "bob"], "a": 2], found)
        == ["a = 2", "user.name = \"bob\"", "user.tags = { 2 }"])
  }

  @Test("a record is one path if the found value is no record")
  func otherKind() {
    #expect(places(["user": ["name": "bob"]], ["user": 5]) == ["user = { name = \"bob\" }"])
    #expect(places(["user": ["name": "bob"]], [:]) == ["user = { name = \"bob\" }"])
    #expect(places(["user": [:]], ["user": ["name": "bob"]]) == ["user = {}"])
  }

  @Test("a name of an earlier field is a field, not a path")
  func before() {
    #expect(places(["a.b": .nil], [:], before: ["a.b": 1]) == ["[\"a.b\"] = nil"])
    #expect(places(["a.b": .nil], [:]) == ["a.b = nil"])
  }
}
