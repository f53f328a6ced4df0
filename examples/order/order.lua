-- An order that outlives the process which took it: a payment that is tried again until the bank answers, a mail, and
-- three days in which to pay.

version(2)

local cents = integer { min = 1 }

state {
  cents   = optional(cents),
  receipt = optional(string),
  problem = optional(string),
}

action.place { cents = cents }
action.pay {}
internal.paid { receipt = string }
internal.payment_failed { error = string }
internal.expire {}

machine.order {
  initial = "empty",
  empty   = { place = "open" },
  open    = { pay = "paying", expire = "expired", after = { expire = "3d" } },
  paying  = { paid = "done", payment_failed = "open" },
  done    = { final = true },
  expired = { final = true },
}

function reduce.place(s, a) s.cents = a.cents end
function reduce.pay(s) s.problem = none end
function reduce.paid(s, a) s.receipt = a.receipt end
function reduce.payment_failed(s, a) s.problem = a.error end

function view.status(s) return s.problem and s.order .. ": " .. s.problem or s.order end
function view.cents(s) return s.cents or 0 end
function view.receipt(s) return s.receipt or "none" end

-- It goes on after a restart: what the bank has answered is never asked again, and the mail is sent after that.
effect.pay = {
  durable  = true,
  on_error = "payment_failed",
  run = function(self)
    local receipt = retry({ times = 5, wait = 2, factor = 2 }, function()
      return self:charge(view.cents())
    end)
    self:mail("receipt " .. receipt)
    dispatch.paid { receipt = receipt }
  end,
}

-- Version 1 counted euros.
function migrate.to_2(s)
  s.cents, s.euros = s.euros and math.floor(s.euros * 100 + 0.5), nil
end
