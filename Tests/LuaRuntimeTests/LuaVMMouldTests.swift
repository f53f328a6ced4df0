import LuaRuntime
import Testing

@Suite struct LuaVMMouldTests {
  private func noted(_ script: String) throws -> LuaVM {
    let vm = try LuaVM(memoryLimit: 8 << 20, isNoted: true)
    try vm.run(script)
    return vm
  }

  @Test("a cloned VM has the contents of its template and is independent of other clones")
  func isCast() throws {
    let vm = try noted("list = { 1, 2 }  function grow() list[#list + 1] = #list  return #list end")
    vm.texts["greeting.lua"] = "hello"
    let instructions = vm.instructionsUsed
    let template = try #require(VMTemplate(vm))
    #expect(template.instructions == instructions)
    let first = try LuaVM(castFrom: template)
    let second = try LuaVM(castFrom: template)
    #expect(first.instructionsUsed == 0)
    #expect(first.texts == ["greeting.lua": "hello"])
    #expect(try first.run("return grow()") == [3])
    #expect(try first.run("return grow()") == [4])
    #expect(try second.run("return grow()") == [3])
  }

  @Test("an error in a cloned VM has its line and the names of locals")
  func lines() throws {
    let vm = try noted("function fail(given)\n  local inner = given\n  return inner.field\nend")
    let cast = try LuaVM(castFrom: #require(VMTemplate(vm)))
    let error = cast.error(of: "return (fail())")
    #expect(error?.line == 3)
    #expect(error?.message == "attempt to index a nil value (local 'inner')")
  }

  @Test("cloned VMs outlive their template")
  func outlive() throws {
    var vms: [LuaVM] = []
    do {
      let template = try #require(VMTemplate(noted("function answer() return 42 end")))
      vms = try (0..<3).map { _ in try LuaVM(castFrom: template) }
    }
    for vm in vms {
      vm.collectGarbage()
      #expect(try vm.run("return answer()") == [42])
    }
  }

  @Test("a VM that has a table as a key, or no creation log, cannot be a template")
  func noMould() throws {
    #expect(try VMTemplate(noted("local key = {}  found = { [key] = true }  kept = key")) == nil)
    #expect(try VMTemplate(LuaVM(memoryLimit: 8 << 20)) == nil)
  }
}
