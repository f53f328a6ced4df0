import LuaRuntime
import Testing

@Suite struct LuaVMAsideTests {
  private static let start = """
    count, names, text = 0, {}, string.rep("x", 3000)
    function step(n)
      count = count + n
      names[#names + 1] = "name " .. count
      return count, #names, names[#names]
    end
    """

  private func vm(hasImage: Bool = true, forLives: Bool = true) throws -> LuaVM {
    let vm = try LuaVM(memoryLimit: 8 << 20)
    try vm.run(LuaVMAsideTests.start)
    vm.collectGarbage()
    if hasImage { #expect(vm.keepImage(forLives: forLives)) }
    return vm
  }

  /// The turns of lives, one a line, with garbage, large blocks, long texts, errors and coroutines.
  private static let turns = [
    "return step(1)", "return step(2), text", "text = text .. text  return #text",
    "local t = {} for i = 1, 500 do t[i] = { i } end  return step(#t)",
    "for i = 1, 300 do names['k' .. i] = i end  return step(3)", "error('no')",
    "for i = 1, 400 do step(i) end  return step(0)", "names = {}  return step(5)",
    "co = coroutine.wrap(function() for i = 1, 9 do coroutine.yield(i) end end)  return co()",
    "return co and co()", "text = string.rep('y', 200000)  return #text", "text = ''  return #text",
    "while true do end",
  ]

  @Test(
    "instances that alternate in one VM behave as in a VM of their own",
    arguments: [0, 4 << 10, .max])
  func turns(most: Int) throws {
    let (shared, count) = (try vm(forLives: most > 0), 5)
    let alone = try (0..<count).map { _ in try vm(hasImage: false) }
    var lives = [LuaVM.VMDelta?](repeating: nil, count: count)
    var dice: UInt64 = 7
    for turn in 0..<400 {
      dice = dice &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let number = Int(dice >> 33) % count
      let script = LuaVMAsideTests.turns[Int(dice >> 40) % LuaVMAsideTests.turns.count]
      if let life = lives[number] { shared.takeUp(life) }
      func answer(_ vm: LuaVM) -> [Value] {
        (try? vm.run(script, budget: 200_000)) ?? [
          .string("\(vm.error(of: "return step(1)") == nil)")
        ]
      }
      #expect(answer(shared) == answer(alone[number]), "turn \(turn): \(script)")
      // A stack or a table of strings that a collection has made smaller is charged for as it grows again.
      if most == .max { #expect(shared.instructionsUsed == alone[number].instructionsUsed) }
      let life: LuaVM.VMDelta = try #require(shared.putAside(collectingAbove: most))
      lives[number] = life
      #expect(try shared.run("return count, #names, #text") == [0, 0, 3000])
      #expect(shared.beginAgain())
    }
  }

  @Test("a suspended instance takes little more memory than its changes")
  func small() throws {
    let vm = try vm()
    try vm.run("step(1)")
    let little = try #require(vm.putAside(collectingAbove: .max))
    #expect(little.size < 4 << 10)
    try vm.run("step(1) for i = 1, 2000 do local t = { i } end")
    let much = try #require(vm.putAside(collectingAbove: .max))
    vm.takeUp(much)
    let collected = try #require(vm.putAside(collectingAbove: 6 << 10))
    #expect(much.size > 16 << 10)
    #expect(collected.size < 12 << 10)
    vm.takeUp(collected)
    #expect(try vm.run("return step(1)") == [2, 2, "name 2"])
  }

  @Test("a suspended instance can be released before or after its VM is closed")
  func dropped() throws {
    var vm: LuaVM? = try vm()
    for _ in 0..<3 {
      try vm?.run("for i = 1, 3000 do names[i] = { i } end  text = text .. text")
      _ = vm?.putAside(collectingAbove: .max)
      #expect(try vm?.run("return step(1)") == [1, 1, "name 1"])
      #expect(vm?.beginAgain() == true)
    }
    try vm?.run("for i = 1, 3000 do names[i] = { i } end")
    let last = vm?.putAside(collectingAbove: .max)
    vm = nil
    #expect(last != nil)
  }

  @Test("nothing can be suspended without an image, or during a run")
  func refused() throws {
    let bare = try vm(hasImage: false)
    #expect(bare.putAside(collectingAbove: .max) == nil)
    #expect(!bare.beginAgain())
    let vm = try LuaVM(memoryLimit: 8 << 20)
    var isRefused = false
    try vm.provide("call") { [unowned vm] _ in
      isRefused = vm.putAside(collectingAbove: .max) == nil && !vm.beginAgain()
      return []
    }
    let prelude = try vm.load(
      Array("host.set_global('call', function() return host.call() end)".utf8),
      name: "=[moonlatch]", trusted: true)
    try vm.call(prelude, phase: .loading, budget: 1000)
    #expect(vm.keepImage())
    try vm.run("call()")
    #expect(isRefused)
    #expect(vm.putAside(collectingAbove: .max) != nil)
    isRefused = false
    try vm.run("call()")  // what was provided stays so
    #expect(isRefused)
  }
}
