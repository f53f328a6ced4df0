import Testing

/// Declarations that conflict with each other, though each is valid by itself.
@Suite struct DeclarationReaderTests {
  // MARK: What nobody gives to an action

  @Test("on_error must name an action that needs only the error and the effect's own payload")
  func onError() {
    let flow = """
      state {}
      action.load { id = string, size = optional(integer) }
      action.save {}
      action.failed { error = string, id = string, size = integer, url = string }
      effect.load = {
        run = function() end,
        on_error = "failed",
      }
      effect("both", { "load", "save" }, { run = function() end, on_error = "failed" })
      effect("every", "*", { run = function() end, on_error = "failed" })
      """
    let gives = "it gives error and the equally named fields of the effect's own payload"
    #expect(
      faults(of: flow) == [
        "flow.lua:7: effect.load: on_error cannot give size and url to failed, which requires them "
          + "(flow.lua:4): \(gives); let load require them too, or make them optional in failed",
        "flow.lua:9: effect both: on_error cannot give id, size and url to failed, which requires them "
          + "(flow.lua:4): \(gives); let save require them too, or make them optional in failed",
        "flow.lua:10: effect every: on_error cannot give id, size and url to failed, which requires them "
          + "(flow.lua:4): \(gives); let save require them too, or make them optional in failed",
      ])
  }

  @Test(
    "a wrong key or action in the table of an effect is reported at its own line",
    arguments: [
      (
        "effect.load = {\n  run = function() end,\n  on_eror = \"failed\",\n  durable = false,\n}",
        "flow.lua:6: effect load: unknown key on_eror; it takes run, on_done, on_error and durable"
      ),
      (
        "effect.load {\n  run = function() end,\n  on_done = \"loadd\",\n}",
        "flow.lua:6: effect.load: on_done: there is no action loadd; did you mean load?"
      ),
      (
        "effect(\"both\", { \"load\" }, {\n  run = function() end,\n  on_error = \"fail\",\n})",
        "flow.lua:6: effect both: on_error: there is no action fail"
      ),
      (
        "local it = {\n  run = function() end,\n  on_done = \"far\" }\neffect.load = it",
        "flow.lua:5: effect.load: on_done: there is no action far"
      ),
    ])
  func effectLines(effect: String, fault: String) {
    let flow = """
      state {}
      action.load { id = string }
      action.saved {}
      \(effect)
      """
    #expect(faults(of: flow) == [fault])
  }

  @Test("a name in which that no action has as a field is reported where it stands")
  func which() {
    let flow = """
      state { rows = map {} }
      action.go { id = string }
      internal.late { id = string }
      machine.row {
        each = "rows",
        which = "idd",
        initial = "a",
        a = {
          go = "b",
          after = { late = 5 }, late = "b" },
        b = {},
      }
      """
    #expect(
      faults(of: flow) == [
        "flow.lua:6: machine row: which = \"idd\": no action that it lists has the field idd, and its "
          + "timers need one that names their record; did you mean id?"
      ])
  }

  @Test(
    "fields with a default, optional ones and those of the payload are not required",
    arguments: [
      "{}", "{ error = string }", "{ error = optional(string), id = string }",
      "{ error = string, n = integer { default = 1 } }", "{ id = any, size = integer }",
      "{ url = optional(string) }",
    ])
  func enough(fields: String) {
    let flow = """
      state {}
      action.load { id = string, size = integer { default = 3 } }
      action.failed \(fields)
      effect.load = { run = function() end, on_error = "failed" }
      """
    #expect(faults(of: flow) == [])
  }

  @Test("a timer of a state has no payload, so its action must need none")
  func after() {
    let flow = """
      state {}
      action.go {}
      action.late { by = integer, why = string, n = integer { default = 1 } }
      machine.door {
        initial = "closed",
        closed = { go = "opened" },
        opened = {
          go = "closed",
          after = {
            go = 5,
            late = 30,
          },
        },
      }
      """
    #expect(
      faults(of: flow) == [
        "flow.lua:11: machine door: opened.after.late dispatches no payload, but late requires by and why "
          + "(flow.lua:3); make them optional, or give them a default"
      ])
  }

  // MARK: Keys

  @Test("a key must be a function of the state alone")
  func key() {
    let flow = """
      state { user = none }
      action.go { id = integer }
      scope.user {
        key = function(s, a)
          return a.id
        end,
      }
      """
    #expect(
      faults(of: flow) == [
        "flow.lua:4: scope user: key must be a function of the state alone, function(s), because it is "
          + "evaluated without an action too; let a reducer store in the state what the key needs of an "
          + "action"
      ])
  }

  @Test("a key of one parameter, or of any number of them, is a key")
  func keys() {
    for parameters in ["", "s", "..."] {
      let flow = "state {}\naction.go {}\nscope.user { key = function(\(parameters)) return 1 end }"
      #expect(faults(of: flow) == [])
    }
  }
}
