-- A document that two departments have to approve, in whatever order.
state { text = string { default = "" }, notes = list_of(string) }

action.edit     { text = string }
action.submit   {}
action.withdraw {}
action.approve  { role = string }
action.reject   { role = string, why = string }

local function only(role)
  return function(s, a) return a.role == role, "this is for " .. role end
end

local function asked(_, a)
  return a.role == "legal" or a.role == "finance", "nobody has asked " .. a.role
end

machine.document {
  initial = "draft",
  draft   = { edit = true, submit = { to = "review",
    when = function(s) return s.text ~= "", "there is nothing to review" end } },
  review  = {
    parallel = { "legal", "finance" },
    withdraw = "draft",
    reject   = { to = "draft", when = asked, reduce = function(s, a) table.insert(s.notes, a.role .. ": " .. a.why) end },
    on_done  = "published",   -- both have agreed
    legal    = { initial = "asked", asked = { approve = { to = "agreed", when = only "legal" } },
                 agreed = { final = true } },
    finance  = { initial = "asked", asked = { approve = { to = "agreed", when = only "finance" } },
                 agreed = { final = true } },
  },
  published = { final = true },
}

function reduce.edit(s, a)
  s.text = a.text
end
