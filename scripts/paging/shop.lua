-- What the pages are tested with: something of each kind that they show.
version(3)

state {
  cents = optional(integer { min = 1 }),
  note  = string { default = "" },
  pin   = optional(string { secret = true }),
  lines = list_of { { dish = string, count = integer { min = 1 }, extras = list_of { string, default = {} } } },
  user  = optional(string),
}

action.place {
  cents = integer { min = 1, max = 100000, samples = { 250, 990 } },
  note  = optional(string { pattern = "^[%l ]+$", max_length = 40 }),
}
action.pay {}
action.cook {}
action.serve {}
action.cancel {}
action.say { text = string }
action.tell { pin = string { secret = true } }
action.add {
  line  = {
    dish   = one_of { "soup", "pie", "salad" },
    count  = integer { min = 1, max = 9, default = 1 },
    extras = list_of { string, max_length = 3, default = {} },
  },
  gifts = optional(map_of { integer { min = 1 }, key = string { max_length = 20 } }),
  fast  = boolean { default = false },
}
action.log_in { name = string }
action.rename { name = string }
internal.remind {}

machine.order {
  initial = "empty",
  empty   = { place = "open" },
  open    = {
    initial   = "waiting",
    cancel    = "cancelled",
    waiting   = { pay = "kitchen", remind = { "waiting", reenter = true }, after = { remind = 60 } },
    kitchen   = { cook = "ready" },
    ready     = { serve = "done" },
  },
  done      = { final = true },
  cancelled = { final = true },
}

gatekeeper.stove { cook = { attempt = "left" }, serve = { reset = "left" } }

scope.user {
  key = function(s) return s.user end,
  actions = { "rename" },
}

function gate.pay(s)
  if s.note == "closed" then return false, "the till is closed" end
  return true
end

function reduce.place(s, a) s.cents, s.note = a.cents, a.note or "" end
function reduce.tell(s, a) s.pin = a.pin end
function reduce.say(s, a) s.note = a.text end
function reduce.add(s, a) s.lines[#s.lines + 1] = a.line end
function reduce.log_in(s, a) s.user = a.name end
function reduce.rename(s, a) s.user = a.name end

function effect.place() dispatch.say { text = "thank you" } end

function view.status(s) return s.order end
function view.total(s) return s.cents or 0 end
