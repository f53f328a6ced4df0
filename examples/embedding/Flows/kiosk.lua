-- A kiosk that sells tickets: an order is priced by the host, then paid, then a ticket is printed.

state { order = none, price = 0, sold = 0, problem = none }

machine.kiosk {
  initial = "idle",
  idle    = { order = "pricing" },
  pricing = { priced = "paying", failed = "idle" },
  paying  = { pay = "idle", cancel = "idle", after = { cancel = 60 } },
}

action.order { destination = string { min_length = 1, max_length = 40 } }
action.priced { cents = integer { min = 1 } }
action.failed { error = optional(string) }
action.pay { cents = integer { min = 1 } }
action.cancel {}
action.jammed { error = optional(string) }

function gate.pay(s, a)
  return a.cents >= s.price, "that is not enough"
end

function reduce.order(s, a)
  s.order, s.problem = a.destination, nil
end

function reduce.priced(s, a)
  s.price = a.cents
end

function reduce.failed(s, a)
  s.order, s.problem = nil, a.error
end

function reduce.pay(s)
  s.order, s.sold = nil, s.sold + 1
end

function reduce.cancel(s)
  s.order = nil
end

function reduce.jammed(s, a)
  s.problem = a.error
end

-- The host asks far away for the price: the effect waits, and nothing else does.
effect.order {
  run = function(self, a) dispatch.priced { cents = self:price(a.destination) } end,
  on_error = "failed",
}

effect.pay {
  run = function(self) self:print_ticket(view.sold()) end,
  on_error = "jammed",
}

function view.sold(s)
  return s.sold
end

function view.screen(s)
  return { order = s.order, price = s.price, sold = s.sold, problem = s.problem, state = s.kiosk }
end
