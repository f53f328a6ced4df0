-- {Title}: what it knows, what can happen to it, and what that changes.
state { count = 0 }

action.add { by = integer { min = 1, max = 10 } }
action.clear {}

-- A gate lets an action pass, or refuses it with a reason.
function gate.add(s, a) return s.count + a.by <= 100, "{title} holds 100 at most" end

-- A reducer changes the state of an action that has passed.
function reduce.add(s, a) s.count = s.count + a.by end
function reduce.clear(s) s.count = 0 end

-- A view is what others see of the state.
function view.count(s) return s.count end

-- An invariant holds after each action.
function invariant.bounded(s) return s.count <= 100 end
