import Testing

@testable import MoonlatchCLI

@Suite struct AskingTests {
  @Test("the state is printed completely, by path, and in a form that can be pasted")
  func state() throws {
    let prompt = try Prompt(workshop)
    prompt.type("log_in { id = \"u\" }")
    prompt.type("add { name = \"a\\\"b\" }")
    #expect(prompt.type(":state jobs[1].name") == "\"a\\\"b\"")
    #expect(prompt.type(":state total") == "2")
    let whole = prompt.type(":state")
    #expect(prompt.type("_x = " + whole) == "")
    #expect(prompt.type("_x.jobs[1].count, _x.door") == "2\t\"closed\"")
    #expect(prompt.type(":state totl").hasPrefix("error: "))
    #expect(prompt.type(":state totl").contains("did you mean total?"))
  }

  @Test("help shows the types of the state, of all fields and next to a field's value")
  func typesOfTheState() throws {
    let prompt = try Prompt(
      """
      state { hp = integer { min = 0, max = 9, default = 5 }, user = optional { name = string }, n = 1 }
      action.go {}
      """)
    #expect(
      prompt.type(":help state").split(separator: "\n").dropFirst(2) == [
        "  s.hp: integer from 0 to 9, else 5", "  s.n", "  s.user: optional { name = string }",
      ])
    #expect(
      prompt.type(":help hp") == "s.hp is a field of the state, integer from 0 to 9, else 5: 5")
    #expect(
      prompt.type(":help user") == "s.user is a field of the state, optional { name = string }: nil"
    )
    #expect(prompt.type(":help n") == "s.n is a field of the state: 1")
  }

  @Test(
    "every action is listed with its payload and whether it is allowed now, with the reason if not")
  func actions() throws {
    let prompt = try Prompt(workshop)
    prompt.type(":set width 400")
    let lines = prompt.type(":actions").split(separator: "\n").map(String.init)
    #expect(lines.count == 7)
    let verdicts = lines.map { $0.contains("may pass") }
    #expect(verdicts == verdicts.sorted { $0 && !$1 })
    #expect(
      lines.first { $0.hasPrefix("add") }
        == "add { count = integer of at least 1, else 2, name = string }  refused by scope user: "
        + "it is locked: scope user needs its key  [flow.lua:15] (with { count = 2, name = \"a\" })"
    )
    #expect(
      lines.first { $0.hasPrefix("close()") }?.contains(
        "refused by machine door: close is not possible in closed (possible in: opened)") == true)
    #expect(lines.contains { $0.hasPrefix("load { url = string }") && $0.contains("may pass") })
  }

  @Test("an action is listed as refused if a machine would refuse any payload")
  func actionsOfAnyPayload() throws {
    let prompt = try Prompt(
      """
      state {}
      action.open {} action.unlock { pin = string { pattern = "^%d+$" } }
      machine.door { initial = "locked", locked = { unlock = "closed" }, closed = { open = "locked" } }
      """)
    prompt.type(":set width 400")
    #expect(prompt.type(":actions").contains("depends on its payload (:why unlock { ... })"))
    prompt.type("unlock { pin = \"1\" }")
    let refusal = "machine door: unlock is not possible in closed (possible in: locked)"
    #expect(prompt.type(":actions").contains("refused by " + refusal))
    #expect(
      prompt.type(":why unlock { pin = 1 }").contains(
        "machine door refuses: unlock is not possible in closed"))
  }

  @Test("why lists all steps, also after the first refusal, and dispatches nothing")
  func why() throws {
    let prompt = try Prompt(workshop)
    #expect(
      prompt.type(":why add { name = \"x\", count = 20 }") == """
          payload agrees  [flow.lua:8]
          scope user refuses: it is locked: scope user needs its key  [flow.lua:15]
          gate add refuses: too many  [flow.lua:25]
              25 | function gate.add(s, a)
              26 |   return s.total + a.count <= 10, "too many"
              27 | end
          gate not while loading agrees  [flow.lua:28]
        refused by scope user: it is locked: scope user needs its key  [flow.lua:15]
        """)
    #expect(
      prompt.type(":why open()").contains("machine door refuses: log in first  [flow.lua:11]"))
    #expect(
      prompt.type(":why load").hasPrefix("with { url = \"a\" }, since no payload was given\n"))
    #expect(
      prompt.type(":why load{url=\"x\"}").contains(
        "gatekeeper loading agrees (takes the passage)"))
    #expect(prompt.type(":why load{url=\"x\"}").hasSuffix("load may pass"))
    #expect(
      prompt.type(":why add { count = 0 }").contains(
        "payload fails: action add: count must be an integer of at least 1, got 0; name must be a "
          + "string, but is missing"))
    #expect(prompt.type(":why add { count = 0 }").contains("gate add is not evaluated"))
    #expect(prompt.type(":why ad").contains("there is no action ad; did you mean add?"))
    #expect(prompt.type(":why") == "error: :why takes an action: :why NAME { ... }")
    #expect(prompt.session.revision == 0)
  }

  @Test("machines, gatekeepers, scopes, timers and views are shown with their current values")
  func surroundings() throws {
    let prompt = try Prompt(workshop)
    #expect(prompt.type(":timers") == "it is 0 s by the virtual clock")
    prompt.type(":stub root.fetch function() sleep(5) return \"text\" end")
    prompt.type("log_in { id = \"u\" }")
    prompt.type("open()")
    prompt.type("load { url = \"x\" }")
    #expect(prompt.type(":machines") == "door: opened\n  close -> closed\n  other states: closed")
    #expect(prompt.type(":gatekeepers") == "loading: held since load (#3, at 0 s)")
    #expect(prompt.type(":scopes") == "root: open\n  user: open, its key is \"u\" (log_out, add)")
    #expect(
      prompt.type(":timers") == """
        at 5 s (in 5 s): effect.load { url = "x" } wakes
        at 30 s (in 30 s): close, set by #2
        effect.load { url = "x" } waits (#3)
        it is 0 s by the virtual clock
        """)
    #expect(prompt.type(":views") == "total = 0")
    #expect(prompt.type("log_out()").hasPrefix("refused by gate not while loading: loading"))
    let advanced = prompt.type(":advance 5s")
    #expect(advanced == "| got text\n#4 loaded (by #3)\n  gatekeeper loading: free\nit is 5 s")
    #expect(prompt.type("log_out()").contains("  scope user: locked"))
    #expect(
      prompt.type(":scopes")
        == "root: open\n  user: locked, its key is missing (log_out, add)  [flow.lua:15]")
  }

  @Test("help knows commands, actions, views, fields, machines and words of the language")
  func help() throws {
    let prompt = try Prompt(workshop)
    let overview = prompt.type(":help")
    for command in PromptCommand.all {
      #expect(overview.contains("  :\(command.name) "), "\(command.name)")
    }
    for command in PromptCommand.all {
      #expect(prompt.type(":help \(command.name)").hasPrefix(":\(command.name)"))
      #expect(prompt.type(":help :\(command.name)").contains(command.summary))
    }
    #expect(
      prompt.type(":help add") == """
        add { count = integer of at least 1, else 2, name = string } is an action  [flow.lua:8]
          belongs to scope user
          is checked by gate add (flow.lua:25), gate not while loading (flow.lua:28)
          has its reducer at flow.lua:21
          :why add says if it may pass, :source add shows its source
        """)
    #expect(prompt.type(":help total").hasPrefix("total is a view  [flow.lua:31]"))
    #expect(prompt.type(":help note") == "s.note is a field of the state: \"\"")
    #expect(prompt.type(":help door").hasPrefix("door is a machine"))
    #expect(prompt.type(":help gate").contains("function gate.NAME(s, a)"))
    #expect(prompt.type(":help ad") == "error: ad is unknown; did you mean add?")
  }

  @Test("source shows the code of everything with a name, or of one kind")
  func source() throws {
    let prompt = try Prompt(workshop)
    #expect(
      prompt.type(":source door") == """
        flow.lua:9
        9 | machine.door {
        10 |   initial = "closed",
        11 |   closed = { open = { to = "opened", when = function(s) return s.user ~= nil, "log in first" end } },
        12 |   opened = { close = "closed", after = { close = 30 } },
        13 | }
        """)
    #expect(
      prompt.type(":source gate.add").hasPrefix("flow.lua:25\n25 | function gate.add(s, a)\n"))
    let all = prompt.type(":source add")
    for line in [8, 21, 25, 28] { #expect(all.contains("flow.lua:\(line)\n"), "\(line)") }
    #expect(prompt.type(":source nothing").hasPrefix("error: nothing is declared as nothing"))
  }

  @Test("a mistyped command, or one with too many arguments, is answered with its usage")
  func mistakes() throws {
    let prompt = try Prompt(workshop)
    #expect(prompt.type(":wy coin") == "error: there is no command :wy; did you mean :why?")
    #expect(
      prompt.type(":frobnicate") == "error: there is no command :frobnicate; :help lists them")
    #expect(prompt.type(":actions now") == "error: :actions takes no argument, got now")
    #expect(prompt.type(":quit") == "leave")
  }

  @Test("a command without its colon and an action without its parentheses are recognized")
  func nearMisses() throws {
    let prompt = try Prompt(workshop)
    #expect(
      prompt.type("help")
        == "error: prompt:1: global help is not defined; there is the command :help")
    #expect(prompt.type("exit").hasSuffix("there is the command :quit"))
    #expect(prompt.type("open") == "open is an action: type open()")
    #expect(prompt.type("pass.load") == "load is an action: type load { url = \"a\" }")
    #expect(prompt.type("dispatch.log_in { id = \"u\" }").hasPrefix("#1 log_in"))
    #expect(prompt.type("sleep(1)") == "error: prompt:1: a script cannot sleep; only an effect can")
  }

  @Test("an effect that fails is reported, also if its on_error handles the failure")
  func handled() throws {
    let prompt = try Prompt(
      """
      action.load {} action.failed {}
      effect.load = { run = function(self) error("no route") end, on_error = "failed" }
      """)
    #expect(
      prompt.type("load()") == """
        #1 load
          effect.load starts
          effect.load did not finish: no route  [flow.lua:2]
        #2 failed (by #1)
        """)
  }

  @Test("a missing capability is an error of the effect with its source, and on_error does not run")
  func fault() throws {
    let prompt = try Prompt(
      """
      action.load {} action.failed {}
      effect.load = { run = function(self) self:fetch() end, on_error = "failed" }
      """)
    let told = prompt.type("load()")
    #expect(
      told.hasPrefix(
        "#1 load\n  effect.load starts\nerror: effect.load did not finish: flow.lua:2:"))
    #expect(told.hasSuffix("\n    (\":stub root.fetch VALUE\" stubs it)"))
    #expect(!told.contains("#2"))
  }

  @Test("examples in the help work as written, whatever the name of the action")
  func recommendations() throws {
    let prompt = try Prompt(
      """
      state { n = 0 }
      action["go home"] {}
      action["say \\"hi\\""] { n = integer }
      action.next {}
      action["end"] {}
      action.note { text = string { pattern = "^%d+$" } }
      action["note it"] { text = string { pattern = "^%d+$" } }
      function view.total(s) return s.n end
      view["in total"] = function(s) return s.n end
      """)
    for name in ["go home", "next", "end", "say \"hi\"", "note"] {
      let help = prompt.type(":help \(name)")
      let commands = help.matches(of: /(:why|:source) (.*?) (?:says if|shows its source)/)
      #expect(commands.count == 2, "\(help)")
      for command in commands {
        let told = prompt.type("\(command.1) \(command.2)")
        #expect(!told.hasPrefix("error: "), "\(command.0): \(told)")
        let expected =
          command.1 == ":source" ? "flow.lua:" : name == "note" ? "payload fails" : "may pass"
        #expect(told.contains(expected), "\(told)")
      }
    }
    #expect(prompt.type(":help go home").contains("  :why \"go home\" says if it may pass"))
    #expect(prompt.type(":help \"go home\"").hasPrefix("pass[\"go home\"]() is an action"))
    #expect(prompt.type(":help next").hasPrefix("next() is an action"))
    #expect(prompt.type(":why go home") == prompt.type(":why \"go home\""))
    #expect(prompt.type(":why note it { text = \"1\" }").hasSuffix("note it may pass"))
    prompt.type(":set width 400")
    #expect(prompt.type(":actions").contains("depends on its payload (:why \"note it\" { ... })"))
    #expect(prompt.type(":help in total").contains("view[\"in total\"]() reads it"))
    #expect(prompt.type("view[\"in total\"]()") == "0")
    for line in prompt.type(":actions").split(separator: "\n") {
      guard let end = line.firstRange(of: "()") else { continue }
      let call = String(line[..<end.upperBound])
      #expect(!prompt.type(call).hasPrefix("error: "), "\(call)")
    }
  }

  @Test("a mistyped action is answered with the nearest action, not a library function")
  func mistypedActions() throws {
    let prompt = try Prompt(
      "state { n = 0 }\naction.join {}\naction[\"go home\"] {}\naction.prnt {}")
    #expect(
      prompt.type("joi {}") == "error: prompt:1: global joi is not defined; did you mean join?")
    #expect(
      prompt.type("joi()") == "error: prompt:1: global joi is not defined; did you mean join?")
    #expect(
      prompt.type("pritn(1)") == "error: prompt:1: global pritn is not defined; did you mean print?"
    )
    #expect(prompt.type("zzzzzz()") == "error: prompt:1: global zzzzzz is not defined")
    #expect(prompt.type("s.n") == "0")
  }
}

@Suite struct AskingOfStatesTests {
  @Test("in_state, date and born can be called at the prompt, with the state as s")
  func words() throws {
    let prompt = try Prompt(
      """
      state {} action.go {}
      machine.m { initial = "a", a = { go = "b" }, b = { initial = "c", c = {} } }
      """)
    #expect(prompt.type("in_state(s, \"m.b\")") == "false")
    prompt.type("go()")
    #expect(prompt.type("in_state(s, \"m.b\")") == "true")
    #expect(prompt.type("in_state(s, \"m.d\")").contains("there is no state \"m.d\""))
    #expect(prompt.type("date(born() + now()).year") == "1970")
    #expect(prompt.type(":help in_state").contains("in_state(s, \"door.open\")"))
  }
}
