-- A subscription: a trial, a charge each month, dunning, a change of plan, refunds, a cancellation.

local DAY = 24 * 3600
local PRICES = { basic = 900, pro = 2900 }   -- cents a month

local plan = one_of { "basic", "pro" }
local cents = integer { min = 1 }

state {
  plan  = plan { default = "basic" },
  first = optional(number),   -- the end of the trial, in seconds since 1970: the day of all charges
  -- A case may be created with other terms: seconds in place of months, to try it out.
  terms = {
    trial    = number { min = 0, default = 14 * DAY },
    month    = optional(number { min = 0.1 }),
    patience = list_of { number { min = 0 }, default = { 3 * DAY, 5 * DAY, 7 * DAY } },
    tries    = integer { min = 1, default = 16 },   -- 9 hours, for a bank that does not answer
  },
  pending   = optional { period = integer { min = 1 }, cents = cents },
  charges   = list_of { { period = integer { min = 1 }, cents = cents, id = string, refunded = integer { min = 0 } } },
  declined  = integer { min = 0, default = 0 },   -- of the pending charge
  leaving   = boolean { default = false },   -- cancelled, and not charged any more
  refunding = optional { charge = string, cents = cents },
  problem   = optional(string),
}

action.sign_up { plan = plan }
action.change_plan { plan = plan }
action.new_card {}
action.cancel {}
action.resume {}
action.refund { cents = cents }
-- The bank has told, by its webhook or somebody, how an unclear charge or refund ended. Without an id it was not made.
action.settle { id = optional(string) }
action.settle_refund { id = optional(string) }

internal.renew {}
internal.charged { id = string }
internal.declined { reason = string }
internal.charge_failed { error = string }
internal.refunded { id = string }
internal.refund_failed { error = string }

-- Time ------------------------------------------------------------------------------------------

-- The time at which a period begins, and is charged. It counts from the first one: after a charge on the 29th of
-- February the next one is on the 31st of March again.
local function start_of(s, period)
  if s.terms.month then return s.first + (period - 1) * s.terms.month end
  return date.add_months(s.first, period - 1)
end

local function until_next(s)
  return math.max(0, start_of(s, #s.charges + 1) - (born() + now()))
end

function reduce.sign_up(s, a)
  s.plan = a.plan
  s.first = born() + now() + s.terms.trial
end

-- Charges ---------------------------------------------------------------------------------------

-- The same call is repeated for as long as nobody knows how it has ended: the bank makes the charge of a call once.
-- A declined charge is another matter: the bank has answered, and each charge of the dunning is a call of its own.
local function charge(self)
  local pending = view.pending()
  local answer = retry({ times = view.tries(), wait = "1s", factor = 2 }, function()
    return self:charge(pending.cents, pending.period)
  end)
  if answer.status == 402 then
    dispatch.declined { reason = answer.body.error }
  else
    dispatch.charged { id = answer.body.id }
  end
end

local function has_id(_, a) return a.id ~= nil end
local function is_leaving(s) return s.leaving, "it is not cancelled" end
local function is_staying(s) return not s.leaving, "it is cancelled already" end

machine.subscription {
  initial   = "new",
  new       = { sign_up = "trial", cancel = false },
  trial     = {
    change_plan = true, cancel = "cancelled",
    renew = "charging", after = { renew = until_next },
  },
  charging  = {
    change_plan = true, cancel = { when = is_staying }, resume = { when = is_leaving },
    effect = { durable = true, run = charge, on_error = "charge_failed" },
    on_enter = function(s)
      s.pending = { period = #s.charges + 1, cents = PRICES[s.plan] }
    end,
    charged = "active",
    declined = {
      { to = "past_due", when = function(s) return not s.leaving and s.declined < #s.terms.patience end },
      { to = "cancelled" },
    },
    charge_failed = "unclear",
  },
  active    = {
    change_plan = true, cancel = { when = is_staying }, resume = { when = is_leaving },
    renew = { { to = "cancelled", when = is_leaving }, { to = "charging" } },
    after = { renew = until_next },
  },
  past_due  = {
    change_plan = true, cancel = "cancelled", new_card = "charging",
    renew = "charging", after = { renew = function(s) return s.terms.patience[s.declined] end },
  },
  unclear   = {
    cancel = { when = is_staying }, resume = { when = is_leaving },
    settle = { { to = "active", when = has_id }, { to = "cancelled", when = is_leaving }, { to = "charging" } },
  },
  cancelled = { final = true },
}

-- A charge that is under way is not stopped: the money may be taken already, and the month that it pays is given.
function reduce.cancel(s) s.leaving = true end
function reduce.resume(s) s.leaving = false end
function reduce.change_plan(s, a) s.plan = a.plan end   -- from the next charge on

local function note_charge(s, id)
  table.insert(s.charges, { period = s.pending.period, cents = s.pending.cents, id = id, refunded = 0 })
  s.pending, s.declined, s.problem = none, 0, none
end

function gate.settle(s, a)
  local other = table.find(s.charges, function(it) return it.id == a.id end)
  return not other, other and "charge " .. other.id .. " is that of period " .. other.period
end

function reduce.charged(s, a) note_charge(s, a.id) end
function reduce.settle(s, a) if a.id ~= nil then note_charge(s, a.id) end end

function reduce.declined(s, a) s.declined, s.problem = s.declined + 1, a.reason end
function reduce.charge_failed(s, a) s.problem = a.error end

function invariant.each_period_is_charged_once(s)
  for number, made in ipairs(s.charges) do
    if made.period ~= number then return false, "charge " .. made.id .. " is for period " .. made.period end
  end
  return true
end

-- Refunds ---------------------------------------------------------------------------------------

machine.refund {
  initial = "idle",
  idle    = { refund = "running" },
  running = {
    effect = {
      durable = true, on_done = "refunded", on_error = "refund_failed",
      run = function(self)
        local refunding = view.refunding()
        local made = retry({ times = view.tries(), wait = "1s", factor = 2 }, function()
          return self:refund(refunding.charge, refunding.cents)
        end)
        return { id = made.id }
      end,
    },
    refunded = "idle", refund_failed = "unclear",
  },
  unclear = { settle_refund = "idle" },
}

function gate.refund(s, a)
  local last = s.charges[#s.charges]
  if not last then return false, "nothing was charged yet" end
  local left = last.cents - last.refunded
  return a.cents <= left, "only " .. left .. " cents of the last charge are left to refund"
end

function reduce.refund(s, a) s.refunding = { charge = s.charges[#s.charges].id, cents = a.cents } end

local function note_refund(s)
  local made = table.find(s.charges, function(it) return it.id == s.refunding.charge end)
  made.refunded = made.refunded + s.refunding.cents
end

function reduce.refunded(s)
  note_refund(s)
  s.refunding = none
end

function reduce.settle_refund(s, a)
  if a.id ~= nil then note_refund(s) end
  s.refunding = none
end

function invariant.no_more_is_refunded_than_charged(s)
  return table.all(s.charges, function(it) return it.refunded <= it.cents end)
end

-- Views -----------------------------------------------------------------------------------------

function view.status(s)
  if s.problem then return s.subscription .. ": " .. s.problem end
  return s.leaving and s.subscription == "active" and "active until the end of the month" or s.subscription
end
function view.pending(s) return s.pending end
function view.refunding(s) return s.refunding end
function view.tries(s) return s.terms.tries end
function view.charges(s) return s.charges end
function view.paid(s) return table.sum(s.charges, function(it) return it.cents - it.refunded end) end

-- The day of the next charge, or none.
function view.next_charge(s)
  if s.leaving or s.subscription ~= "trial" and s.subscription ~= "active" then return nil end
  local d = date(start_of(s, #s.charges + 1))
  return ("%d-%02d-%02d"):format(d.year, d.month, d.day)
end
