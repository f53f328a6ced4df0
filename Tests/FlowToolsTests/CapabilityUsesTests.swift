import FlowKernel
import Testing

@testable import FlowTools

/// The capabilities that effects call.
@Suite struct CapabilityUsesTests {
  private func uses(_ source: String) throws -> CapabilityUses {
    CapabilityUses(FlowText(try LoadedFlow(source: source, name: "a.lua")))
  }

  /// The missing capabilities, if these are lent.
  private func missing(_ source: String, lent: Set<String> = []) throws -> [String] {
    try uses(source).missing { lent.contains("\($0).\($1)") }.map { "\($0.title) \($0.place)" }
  }

  @Test("a capability that nobody provides is missing, with its first call")
  func missing() throws {
    let source = """
      state {}
      action.go {}
      action.pay {}
      effect.go = { durable = true, run = function(self)
        retry({ times = 2, wait = 1 }, function()
          return self:charge(1)
        end)
        self:mail("a")
      end }
      function effect.pay(self) self:mail("b") self:charge(2) end
      """
    #expect(try missing(source) == ["root.charge a.lua:6", "root.mail a.lua:8"])
    #expect(try missing(source, lent: ["root.charge"]) == ["root.mail a.lua:8"])
    #expect(try missing(source, lent: ["root.charge", "root.mail"]) == [])
  }

  @Test("factories, methods of scope instances and calls on other values are not capabilities")
  func others() throws {
    #expect(
      try missing(
        """
        state { user = none }
        action.go { name = string }
        scope.user { key = function(s) return s.user end,
          make = { title = function(self) return self:photo() end } }
        scope.root { make = { page = function(self) return {} end } }
        local function helper(thing) return thing:size() end
        function effect.go(self, a, commit)
          local page <close> = self:page()
          page:draw()
          self:defer(function() end)
          local user = self:unlock("user")
          user:greet()
          user:close()
          print(a.name:upper(), helper(page), self.key)
          local inner = function(self) return self:nothing() end
          return inner(page)
        end
        """) == [])
  }

  @Test("an effect that assigns its first parameter is not checked")
  func assigned() throws {
    #expect(
      try missing(
        """
        state {}
        action.go {}
        function effect.go(self)
          self = { mail = function() end }
          self:mail()
        end
        """) == [])
  }

  @Test("a scope has the members of its parents, except private ones")
  func scopes() throws {
    let source = """
      state { user = none }
      action.go {}
      action.rename {}
      scope.root {
        make = { page = function(self) return {} end, own = function(self) return {} end },
        private = { "own" },
      }
      scope.user { key = function(s) return s.user end, actions = { "rename" } }
      function effect.rename(self)
        self:page()
        self:own()
        self:store()
        self:mail()
      end
      function effect.go(self) self:mail() end
      """
    #expect(
      try missing(source) == ["user.own a.lua:11", "user.store a.lua:12", "root.mail a.lua:13"])
    #expect(
      try missing(source, lent: ["root.mail", "root.store", "root.own"]) == ["user.own a.lua:11"])
    #expect(
      try missing(source, lent: ["user.mail", "user.own", "user.store"]) == ["root.mail a.lua:15"])
  }

  @Test("the effects of states, and those of several actions, have the root's instance")
  func effectsOfStates() throws {
    #expect(
      try missing(
        """
        state { user = none }
        action.go {}
        action.rename {}
        machine.light { initial = "off", off = { go = "on" },
          on = {
            effect = function(self) self:burn() end,
          } }
        scope.user { key = function(s) return s.user end, actions = { "rename" } }
        effect("audit", "*", function(self) self:log() end)
        """) == ["root.burn a.lua:6", "root.log a.lua:9"])
  }

  @Test("a flow without effects, or whose effects call nothing, has no missing capability")
  func nothing() throws {
    #expect(try missing("state {}\naction.go {}") == [])
    #expect(try missing("state {}\naction.go {}\nfunction effect.go() print(1) end") == [])
  }
}
