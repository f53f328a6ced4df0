/// Flows with many declarations.
extension Shape {
  static var declarations: [Shape] {
    var shapes: [Shape] = []
    shapes.played("actions", 30, isInSmallForm: true) { size in
      """
      state { k = 0 }
      \(each(size) { "action.a\($0) {}\nfunction reduce.a\($0)(s) s.k = \($0) end" })
      """
    } body: { size in
      "for i = 1, \(size) do pass['a' .. i]() end"
    }
    shapes.played("fields", 100) { size in
      """
      action.go {}
      \(each(size) { "state { f\($0) = \($0) }" })
      function reduce.go(s) s.f1 = s.f1 + 1 end
      """
    } body: { _ in
      "for i = 1, 20 do pass.go() end expect { f1 = 21 }"
    }
    shapes.played("gates", 50) { size in
      """
      \(counter)
      \(each(size) { "gate('g\($0)', '*', function(s) return s.k >= 0 end)" })
      """
    } body: { _ in
      often
    }
    shapes.played("invariants", 50) { size in
      """
      \(counter)
      \(each(size) { "function invariant.i\($0)(s) return s.k >= 0 end" })
      """
    } body: { _ in
      often
    }
    shapes.played("views", 30) { size in
      """
      \(counter)
      \(each(size) { "function view.v\($0)(s) return s.k + \($0) end" })
      """
    } body: { size in
      """
      for round = 1, 10 do
        pass.go()
        for i = 1, \(size) do expect.equal(view['v' .. i](), round + i) end
      end
      """
    }
    shapes.played("scopesdeclared", 20) { size in
      """
      \(counter)
      \(each(size) { "scope.s\($0) { key = function(s) return s.k % \($0 + 1) == 0 and s.k or nil end }" })
      """
    } body: { _ in
      often
    }
    shapes.played("effectsofaction", 20) { size in
      """
      \(counter)
      action.done {}
      \(each(size) { "effect('e\($0)', 'go', function() sleep(1) dispatch.done() end)" })
      """
    } body: { _ in
      "for i = 1, 5 do pass.go() advance(2) end"
    }
    shapes.played("payloadfields", 50) { size in
      """
      state { k = 0 }
      action.go { \(each(size, by: ", ") { "f\($0) = integer" }) }
      function reduce.go(s, a) s.k = a.f1 end
      """
    } body: { size in
      """
      local payload = {}
      for i = 1, \(size) do payload['f' .. i] = i end
      for i = 1, 20 do payload.f1 = i pass.go(payload) end
      """
    }
    shapes.played("choices", 50) { size in
      """
      state { k = '' }
      action.go { word = one_of { \(each(size, by: ", ") { "'w\($0)'" }) } }
      function reduce.go(s, a) s.k = a.word end
      """
    } body: { size in
      "for i = 1, 20 do pass.go { word = 'w\(size)' } end"
    }
    shapes.append(
      Shape(name: "modules", base: 10) { size in
        let modules = (1...size).map { ("m\($0).lua", "return \($0)") }
        let requires = each(size) { "require 'm\($0)'" }
        try play(
          flow: "\(counter)\n\(requires)", "scenario('it', function() pass.go() end)",
          modules: Dictionary(uniqueKeysWithValues: modules), expecting: 1)
      })
    return shapes
  }
}
