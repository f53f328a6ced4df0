import Testing

@testable import LuaRuntime

/// Limits by their names.
@Suite struct LimitsNamesTests {
  @Test("each limit can be read and set by its name")
  func all() {
    let fields = Mirror(reflecting: Limits()).children.compactMap(\.label)
    let names = fields.map { $0 == "processorTime" ? "seconds" : $0 }
    #expect(names.sorted() == Limits.names)
    for name in Limits.names {
      var limits = Limits()
      let before = limits[name: name] ?? -1
      limits[name: name] = before + 1
      #expect(limits[name: name] == before + 1 && limits != Limits(), "\(name)")
      limits[name: name] = before
      #expect(limits == Limits(), "\(name)")
    }
    var limits = Limits()
    limits[name: "rounds"] = 1
    #expect(limits == Limits() && limits[name: "rounds"] == nil)
  }
}
