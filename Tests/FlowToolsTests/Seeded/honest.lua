-- Honest code that looks like mistakes: tests in helpers, comparisons through locals, patterns with bars.
state {
  owner = optional { id = string { max_length = 20 } },
  code = string { max_length = 4, default = "x" },
  n = integer { min = 0, max = 10, default = 0 },
  parts = list_of(string),
}

action.poke {}
action.give { id = string { max_length = 20 } }
action.a { code = string }
action.b { code = string }
action.c { n = integer }
action.d { n = integer }
action.split { text = string }

local function is_free(s) return s.owner == nil end
local function is_small(a) return a.n >= 0 and a.n <= 10 end

function gate.poke(s) return not is_free(s), "nobody has it" end
function gate.a(s, a) return a.code:match("^%d%d?%d?%d?$") ~= nil, "no code" end
function gate.b(s, a)
  local code = a.code
  if #code > 4 then return false, "too long" end
  return true
end
function gate.c(s, a) return s.n + a.n >= 0 and s.n + a.n <= 10, "out of range" end
function gate.d(s, a) return is_small(a), "too large" end

function reduce.poke(s) s.owner.id = s.owner.id:sub(1, 19) .. "!" end
function reduce.give(s, a) s.owner = { id = a.id } end
function reduce.a(s, a) s.code = a.code end
function reduce.b(s, a) s.code = a.code end
function reduce.c(s, a) s.n = a.n end
function reduce.d(s, a) s.n = a.n end
function reduce.split(s, a)
  local left, right = a.text:match("^([^|]*)|(.*)$")
  if left and a.text:find("(a|b)", 1, true) == nil then s.parts = { left, right } end
end

function view.who(s) return is_free(s) and "nobody" or s.owner.id end
function view.parts(s) return #s.parts > 0 and s.parts[1] or "none" end
invariant.named = function(s) return is_free(s) or #s.owner.id > 0 end
