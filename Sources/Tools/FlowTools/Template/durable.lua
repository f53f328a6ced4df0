-- {Title}: a request that outlives the process. It is paid for, and a receipt is sent.
version(1)

state { cents = integer { min = 0, default = 0 }, receipt = optional(string), problem = optional(string) }

action.request { cents = integer { min = 1, max = 100000, samples = { 250 } } }
action.pay {}
internal.paid { receipt = string { samples = { "r-250" } } }
internal.payment_failed { error = string { samples = { "no answer" } } }
internal.expire {}

machine{machine} {
  initial = "new",

  new     = { request = "open" },
  open    = { pay = "paying", expire = "expired", after = { expire = "3d" } },
  paying  = { paid = "done", payment_failed = "open" },
  done    = { final = true },
  expired = { final = true },
}

function reduce.request(s, a) s.cents = a.cents end
function reduce.pay(s) s.problem = nil end
function reduce.paid(s, a) s.receipt = a.receipt end
function reduce.payment_failed(s, a) s.problem = a.error end

function view.cents(s) return s.cents end
function view.status(s) return s.problem or s{field} end

-- A durable effect continues after a restart: an answer that the journal has is not asked for again.
effect.pay = {
  durable  = true,
  on_done  = "paid",
  on_error = "payment_failed",
  run = function(self)
    local receipt = retry({ times = 5, wait = 2, factor = 2 }, function()
      return self:charge(view.cents())
    end)
    self:mail("{title}: receipt " .. receipt)
    return { receipt = receipt }
  end,
}
