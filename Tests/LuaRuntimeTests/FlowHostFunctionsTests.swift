import LuaRuntime
import Testing

@Suite struct HostFunctionsTests {
  private struct Refused: Error, CustomStringConvertible {
    let description: String
  }

  /// A VM whose scripts can call the function as `call`.
  private func vm(_ body: @escaping ([Value]) throws -> [Value]) throws -> LuaVM {
    let vm = try LuaVM(memoryLimit: 8 << 20)
    try vm.provide("call", body)
    let prelude = try vm.load(
      Array("host.set_global('call', host.call)".utf8), name: "=[moonlatch]", trusted: true)
    try vm.call(prelude, phase: .loading, budget: 1000)
    return vm
  }

  @Test("arguments are passed to the host and results are returned")
  func values() throws {
    let vm = try vm { Array($0.reversed()) }
    #expect(try vm.run("return call(1, { a = 'x' }, nil)") == [.nil, ["a": "x"], 1])
    #expect(try vm.run("return call()") == [])
  }

  @Test("an error that the host throws is raised at the call in the script")
  func errors() throws {
    let vm = try vm { _ in throw Refused(description: "not today") }
    let error = vm.error(of: "local x = 1\ncall()")
    #expect(error?.message == "not today")
    #expect(error?.place == "test.lua:2")
    #expect(try vm.run("return select('#', pcall(call))") == [2])
    #expect(try vm.run("local fine, message = pcall(call) return fine") == [false])
  }

  @Test("an argument that is not plain data is rejected before the host is called")
  func foreign() throws {
    var called = false
    let vm = try vm { _ in
      called = true
      return []
    }
    #expect(vm.error(of: "call({ f = error })")?.message == "f: a function is not plain data")
    #expect(!called)
  }

  @Test("the host may call into the same VM while a script waits for it")
  func reentry() throws {
    final class Box { var vm: LuaVM? }
    let box = Box()
    let vm = try vm { arguments in
      guard let vm = box.vm, let depth = arguments.first?.integerValue, depth > 0 else {
        return [0]
      }
      let results = try vm.run("return call(\(depth - 1)) + 1", budget: 10_000)
      return results
    }
    box.vm = vm
    #expect(try vm.run("return call(5)") == [5])
    let error = vm.error(of: "return call(50)")
    #expect(error?.message.contains("nested too deeply") == true)
    #expect(try vm.run("return call(3)") == [3])
    box.vm = nil
  }

  @Test("a nested run has its own budget, and leaves the outer one unchanged")
  func nestedBudgets() throws {
    final class Box { var vm: LuaVM? }
    let box = Box()
    let vm = try vm { _ in
      let error = box.vm?.error(of: "while true do end", budget: 5000)
      return [.string(error?.kind.rawValue ?? "none")]
    }
    box.vm = vm
    #expect(
      try vm.run("local x = 0 for i = 1, 1000 do x = x + i end return call(), call(), x")
        == ["limit", "limit", 500_500])
    #expect(vm.error(of: "call() while true do end", budget: 10_000)?.kind == .limit)
    box.vm = nil
  }

  @Test("a thousand errors from the host leak no host objects")
  func noLeaks() throws {
    final class Token {}
    weak var last: Token?
    let vm = try vm { _ in
      let token = Token()
      last = token
      return try withExtendedLifetime(token) { throw Refused(description: "no") }
    }
    for _ in 0..<1000 { #expect(vm.error(of: "call()") != nil) }
    #expect(last == nil)
  }

  @Test("host functions can be limited to some for a while, and a call of another is reported")
  func only() throws {
    let vm = try vm { _ in ["usual"] }
    try vm.provide("print") { _ in ["usual print"] }
    /// The values that a script returns, and whether it asked for more.
    func asking(_ text: String, _ names: String...) throws -> [Value] {
      var bodies: [String: ([Value]) throws -> [Value]] = [:]
      for name in names { bodies[name] = { _ in [.string(name)] } }
      let (result, asksForMore) = try vm.answering(only: bodies) { () throws(ScriptError) in
        try vm.run(text)
      }
      return result + [.boolean(asksForMore)]
    }
    #expect(try asking("return call()", "call") == ["call", false])
    #expect(try asking("return 1") == [1, false])
    #expect(try asking("return (pcall(call))", "print") == [false, true])
    #expect(throws: ScriptError.self) { _ = try asking("return call()") }
    #expect(try vm.run("return call()") == ["usual"])
  }
}
