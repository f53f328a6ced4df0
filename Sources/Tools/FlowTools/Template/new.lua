-- A door with a code. Change it into what you need.
state { code = "1234", openings = 0 }

action.open {}
action.close {}
action.lock {}
action.unlock { code = string { pattern = "^%d+$" } }

-- Which actions lead from which state to which.
machine.door {
  initial = "closed",

  closed = { open = "opened", lock = "locked" },
  opened = { close = "closed", after = { close = 30 } },   -- seconds
  locked = { unlock = "closed" },
}

-- A gate lets an action pass, or refuses it with a reason.
function gate.unlock(s, a)
  return a.code == s.code, "wrong code"
end

-- A reducer changes the state of an action that has passed.
function reduce.open(s)
  s.openings = s.openings + 1
end

-- A view is what others see of the state.
function view.openings(s)
  return s.openings
end
