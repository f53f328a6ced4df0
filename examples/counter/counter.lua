-- A counter and the label that shows it, in two forms: the label asks for the count, or is told.

state {
  counter = integer { default = 0 },   -- the model
  navigation = { screen = optional(string) },
}

action.appear {}
action.disappear {}
action.increase { by = integer { min = 1, default = 1 } }
action.decrease { by = integer { min = 1, default = 1 } }

function gate.decrease(s, a)
  return a.by <= s.counter, "the counter does not go below zero"
end

function reduce.appear(s) s.navigation.screen = "counter" end
function reduce.disappear(s) s.navigation.screen = nil end
function reduce.increase(s, a) s.counter = s.counter + a.by end
function reduce.decrease(s, a) s.counter = s.counter - a.by end

-- Asked: all that a label knows of the state. Where it is shown is none of its business, and a change
-- of the navigation is never told to it.
function view.count(s)
  return s.counter
end

function view.is_shown(s)
  return s.navigation.screen == "counter"
end

-- Told: the label is there while its screen is shown, and lends the flow `new_count`. The flow never
-- learns what it does with a count, the label never learns whence it comes.
scope.label {
  key = function(s) return s.navigation.screen end,
}

effect("provide_count", { "appear", "increase", "decrease" }, function(self)
  if view.is_shown() then
    self:unlock("label"):new_count(view.count())
  end
end)

function invariant.counts_up_from_zero(s)
  return s.counter >= 0
end
