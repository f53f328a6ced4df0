-- Mistakes of newcomers: values that are always true, regular expressions, optional values, effects that see no state.
state {
  stock = integer { min = 0, max = 10, default = 3 },
  name = string { max_length = 5, default = "x" },
  size = one_of { "s", "m", default = "s" },
  code = string { pattern = "^%d{3}$", default = "1{3}" }, --> foreign-pattern
  file = optional { name = string, size = integer },
  lines = list_of { { count = integer { min = 1 } } },
}

action.take {}
action.set { stock = integer { min = 0, max = 99 }, name = string, size = string }
action.fit { stock = integer { min = 0, max = 5 }, size = one_of { "s" } }
action.checked { stock = integer }
action.open {}
action.close {}
action.print { text = string } --> lua-name
internal.done { bytes = integer { min = 1 } }

function gate.take(s) if not s.stock then return false, "sold out" end return true end --> constant-answer
function gate.checked(s, a) return a.stock >= 0 and a.stock < 10, "too much" end
function gate.close(s) return s.file ~= nil, "nothing is open" end
function gate.print(s, a) return #a.text and not a.text:find("\\d"), "no" end --> constant-answer, foreign-pattern

function reduce.take(s)
  if s.lines then s.stock = s.stock - 1 end --> constant-answer
  for _, line in ipairs(s.lines) do
    if line then s.stock = 0 end --> constant-answer
  end
end
function reduce.set(s, a)
  s.stock = a.stock --> wider-value
  s.name = a.name --> wider-value
  s.size = a.size --> wider-value
end
function reduce.fit(s, a)
  s.stock = a.stock
  s.size = a.size
end
function reduce.checked(s, a) s.stock = a.stock end
function reduce.open(s) s.stock = s.file.size end --> untested-optional
function reduce.close(s) s.stock = s.file.size end
function reduce.print(s, a) s.name = a.text:sub(1, 5) end

effect.take = {
  run = function()
    print(s.stock) --> unknown-global
    print(state.stock) --> misplaced-word
    return { byts = 1 } --> wrong-payload, wrong-payload
  end,
  on_done = "done",
}
effect.open = { run = function() return { bytes = "one" } end, on_done = "done" } --> wrong-payload
function reduce.done(s, a) s.stock = math.min(10, a.bytes) end

function view.file(s) return s.file.name end --> untested-optional
function view.ready(s) return s.name and s.stock end --> constant-answer
function view.count(s) return s.file and s.file.size or 0 end

function invariant.stocked(s) return s.size or s.stock > 0 end --> constant-answer
function invariant.known(s) return s.file == nil or s.file.size > 0 end
function invariant.matching(s) return s.code:match("^%d+$") ~= nil or s.code == "1{3}" end
