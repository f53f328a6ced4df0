-- Peterson's algorithm: two processes, one place, and nothing but three variables that both can read.
state {
  at    = { "elsewhere", "elsewhere" },
  wants = { false, false },
  turn  = 1,
}

local P = integer { min = 1, max = 2 }

local function other(p)
  return 3 - p
end

-- Each step leads from one place to the next: `check` says when it may, `change` what it writes besides.
local function go(name, from, to, change, check)
  action[name] { p = P }
  gate[name] = function(s, a)
    if s.at[a.p] ~= from then return false, "it stands elsewhere" end
    return check == nil or check(s, a.p), "the other one goes first"
  end
  reduce[name] = function(s, a)
    s.at[a.p] = to
    if change then change(s, a.p) end
  end
end

go("come", "elsewhere", "wanting")
go("say_so", "wanting", "yielding", function(s, p) s.wants[p] = true end)
go("yield", "yielding", "waiting", function(s, p) s.turn = other(p) end)
go("enter", "waiting", "inside", nil, function(s, p)
  return not s.wants[other(p)] or s.turn == p
end)
go("leave", "inside", "leaving")
go("be_gone", "leaving", "elsewhere", function(s, p) s.wants[p] = false end)
