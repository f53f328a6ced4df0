-- {Title}: it is drafted, reviewed and published.
state { submissions = 0, reminders = 0, problem = optional(string) }

action.submit {}
action.approve {}
action.reject { problem = string { min_length = 3, samples = { "too short" } } }
action.withdraw {}
action.drop {}
internal.remind {}

-- Which actions lead from which state to which.
machine{machine} {
  initial = "draft",

  draft     = { submit = "review", drop = "dropped" },
  review    = {
    approve = "published", reject = "draft", withdraw = "draft",
    remind = true, after = { remind = 86400 },   -- seconds: a day
  },
  published = { final = true },
  dropped   = { final = true },
}

-- A gate lets an action pass, or refuses it with a reason.
function gate.submit(s) return s.submissions < 3, "it was submitted three times already" end

-- A reducer changes the state of an action that has passed.
function reduce.submit(s)
  s.submissions = s.submissions + 1
  s.problem = nil
end
function reduce.reject(s, a) s.problem = a.problem end
function reduce.remind(s) s.reminders = s.reminders + 1 end

-- A view is what others see of the state.
function view.summary(s)
  return s.problem and "rejected: " .. s.problem or s{field}
end
