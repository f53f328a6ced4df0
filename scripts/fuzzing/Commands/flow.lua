-- A flow whose cases have all that a journal keeps: timers, durable effects, machines, and texts that make snapshots.

state { texts = list_of(string), count = integer { default = 0 }, problem = optional(string) }

action.write { text = string }
action.clear {}
action.wait { seconds = integer { min = 0, max = 100000 } }
action.pay {}
internal.woken {}
internal.paid { receipt = string }
internal.payment_failed { error = string }

machine.account {
  initial = "open",
  open    = { pay = "paying" },
  paying  = { paid = "open", payment_failed = "open" },
}

function reduce.write(s, a) table.insert(s.texts, a.text) end
function reduce.clear(s) s.texts = {} end
function reduce.woken(s) s.count = s.count + 1 end
function reduce.payment_failed(s, a) s.problem = a.error end

function effect.wait(self, a) after(a.seconds, "woken") end

effect.pay = {
  durable  = true,
  on_error = "payment_failed",
  run      = function(self)
    sleep(0.01)
    dispatch.paid { receipt = self:charge(1) }
  end,
}

function view.count(s) return s.count end
