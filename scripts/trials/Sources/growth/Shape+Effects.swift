/// Effects, timers, the queue and scopes.
extension Shape {
  static var effects: [Shape] {
    var shapes: [Shape] = []
    shapes.started("timers", by: "for i = 1, a.count do after(i, 'go') end") { size in
      "advance(\(size + 1))"
    }
    shapes.started("timersatonce", by: "for i = 1, a.count do after(5, 'go') end") { _ in
      "advance(5)"
    }
    shapes.started(
      "timersrefused", by: "for i = 1, a.count do after(i, 'shut') end"
    ) { size in
      "advance(\(size + 1))"
    }
    shapes.started(
      "cancelled", isInSmallForm: true,
      by: """
        for i = 1, a.count do after(5, 'tick', { id = i }) end
        for i = 1, a.count do cancel('tick', { id = i }) end
        """
    ) { _ in
      "advance(5)"
    }
    shapes.started(
      "cancelledinqueue",
      by: """
        for i = 1, a.count do after(0, 'tick', { id = i }) end
        for i = 1, a.count do cancel('tick', { id = i }) end
        """
    ) { _ in
      "settle()"
    }
    shapes.started("queue", by: "for i = 1, a.count do dispatch.go() end") { _ in
      "settle()"
    }
    shapes.started(
      "chain", by: "if a.count > 0 then dispatch.start { count = a.count - 1 } end"
    ) { _ in
      "settle()"
    }
    shapes.started("all", isInSmallForm: true, by: joined("all", "sleep(i)")) { size in
      "advance(\(size + 1))"
    }
    shapes.started("race", by: joined("race", "sleep(i)")) { _ in
      "advance(1)"
    }
    shapes.started("calls", by: joined("all", "return self:fetch(i)")) { _ in
      "advance(1)"
    }
    shapes.started("sleeps", by: "for i = 1, a.count do sleep(1) end") { size in
      "advance(\(size))"
    }
    shapes.played("durable", 30) { _ in
      """
      \(counter)
      action.start { count = integer }
      effect.start = {
        durable = true, run = function(self, a) for i = 1, a.count do sleep(1) end end,
      }
      """
    } body: { size in
      "pass.start { count = \(size) } advance(\(size))"
    }
    shapes.played("waiting", 20) { _ in
      "\(counter)\neffect.go = function() sleep(5) end"
    } body: { size in
      "for i = 1, \(size) do pass.go() end advance(5)"
    }
    shapes.played("postponed", 30) { _ in
      """
      \(counter)
      action.free {}
      machine.desk {
        initial = 'busy', busy = { postpone = { 'go' }, free = 'idle' }, idle = { go = 'idle' },
      }
      """
    } body: { size in
      "for i = 1, \(size) do dispatch.go() end pass.free()"
    }
    // Beyond a thousand closed instances the oldest are forgotten.
    shapes.played("scopes", 50) { _ in
      "\(counter)\nscope.s { key = function(s) return s.k end }"
    } body: { size in
      "for i = 1, \(size) do pass.go() end"
    }
    shapes.played("coroutines", 100) { _ in
      """
      \(counter)
      action.start { count = integer }
      function reduce.start(s, a)
        local all = {}
        for i = 1, a.count do
          all[i] = coroutine.wrap(function() coroutine.yield(i) end)
          s.k = all[i]()
        end
      end
      """
    } body: { size in
      "pass.start { count = \(size) }"
    }
    return shapes
  }

  /// An effect that waits for many functions.
  private static func joined(_ how: String, _ body: String) -> String {
    """
    local functions = {}
    for i = 1, a.count do functions[i] = function() \(body) end end
    \(how)(functions)
    """
  }
}

extension [Shape] {
  /// Adds a shape of an effect that begins with a count, and what the scenario does then.
  fileprivate mutating func started(
    _ name: String, isInSmallForm: Bool = false, by effect: String,
    _ then: @escaping @Sendable (Int) -> String
  ) {
    played(name, 30, isInSmallForm: isInSmallForm) { _ in
      """
      \(Shape.counter)
      action.start { count = integer }
      action.tick { id = integer }
      action.shut {}
      function gate.shut() return false, 'no' end
      effect.start = function(self, a)
      \(effect)
      end
      """
    } body: { size in
      """
      stub('root.fetch', function(self, i) sleep(1) return i end)
      pass.start { count = \(size) }
      \(then(size))
      """
    }
  }
}
