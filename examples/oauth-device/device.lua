-- The client of RFC 8628, the OAuth 2.0 device authorization grant: a device without a keyboard
-- shows a code, the user enters it elsewhere, and the device asks again and again for its token.
local GRANT_TYPE = "urn:ietf:params:oauth:grant-type:device_code"
local CLIENT_ID  = "1406020730"

state {
  device_code      = optional(string),   -- for the server, never shown
  user_code        = optional(string),   -- for the user
  verification_uri = optional(string),   -- where to enter it
  expires_at       = optional(number),   -- when both codes do
  interval         = number { default = 5 },      -- at least so many seconds from one answer to the next request
  access_token     = optional(string),
  error            = optional(string),   -- the code, as the server sent it
}

action.start {}
action.give_up {}
action.poll {}
action.expire {}

-- 3.2
action.issued {
  device_code = string, user_code = string, verification_uri = string,
  -- Nobody waits for longer than a day, or doubles an interval for as long.
  expires_in  = integer { min = 1, max = 86400 }, interval = integer { min = 1, max = 86400, default = 5 },
}

-- 3.5: one of the two is there
action.answer { access_token = optional(string), error = optional(string) }

action.rejected { error = string }
action.unreachable {}

-- ------------------------------------------------------------------ What the client is doing

local function until_expiry(s)
  return s.expires_at - now()
end

local function says(...)
  local codes = { ... }
  return function(_, a)
    for _, code in ipairs(codes) do
      if a.error == code then return true end
    end
    return false
  end
end

machine.client {
  initial = "idle",

  idle       = { start = "requesting" },
  requesting = { issued = "waiting", rejected = "failed", unreachable = "failed" },

  waiting = {
    poll   = "asking",
    expire = "expired",
    after  = { poll = function(s) return s.interval end, expire = until_expiry },
  },
  asking = {
    answer = {
      { to = "granted", when = function(_, a) return a.access_token end },
      { to = "waiting", when = says("authorization_pending", "slow_down") },
      { to = "denied",  when = says "access_denied" },
      { to = "expired", when = says "expired_token" },
      { to = "failed" },   -- "any other error code": stop polling (3.5)
    },
    unreachable = "waiting",
    expire      = "expired",
    after       = { expire = until_expiry },
  },

  granted = { final = true },
  -- A new request waits for the user (3.5).
  denied  = { start = "requesting" },
  expired = { start = "requesting" },
  failed  = { start = "requesting" },

  ["*"] = { give_up = "idle" },
}

-- One request is under way at a time, and its answer is the only one that counts: a new start takes
-- the passage over, and what still arrives for the old one is stale.
gatekeeper.request {
  start       = { reset = "answer", attempt = "answer" },
  poll        = { attempt = "answer" },
  issued      = { reset = "answer" },
  rejected    = { reset = "answer" },
  answer      = { reset = "answer" },
  unreachable = { reset = "answer" },
}

-- ------------------------------------------------------------------ What it remembers

local function forget_codes(s)
  s.device_code, s.user_code, s.verification_uri, s.expires_at = nil, nil, nil, nil
end

function reduce.start(s)
  forget_codes(s)
  s.error = nil
end

function reduce.issued(s, a)
  s.device_code      = a.device_code
  s.user_code        = a.user_code
  s.verification_uri = a.verification_uri
  s.expires_at       = now() + a.expires_in
  s.interval         = a.interval
end

function reduce.answer(s, a)
  s.access_token, s.error = a.access_token, a.error
  if a.error == "slow_down" then
    s.interval = s.interval + 5   -- for this and all subsequent requests
  end
end

-- Doubles the interval at each connection timeout, as 3.5 recommends.
function reduce.unreachable(s)
  s.interval = s.interval * 2
end

function reduce.rejected(s, a)
  s.error = a.error
end

function reduce.expire(s)
  s.error = "expired_token"
end

reduce.give_up = forget_codes

-- ------------------------------------------------------------------ What it sends

-- 3.1
effect.start = {
  run = function(self)
    local r = self:post("/device_authorization", { client_id = CLIENT_ID })
    if r.error then
      dispatch.rejected { error = r.error }
    else
      -- A server that leaves something out is as good as none.
      assert(r.device_code and r.user_code and r.verification_uri and r.expires_in,
        "the answer is not complete")
      dispatch.issued {
        device_code = r.device_code, user_code = r.user_code,
        verification_uri = r.verification_uri, expires_in = r.expires_in, interval = r.interval,
      }
    end
  end,
  on_error = "unreachable",
}

-- 3.4
effect.poll = {
  run = function(self)
    local r = self:post("/token", {
      grant_type = GRANT_TYPE, device_code = view.device_code(), client_id = CLIENT_ID,
    })
    dispatch.answer { access_token = r.access_token, error = r.error }
  end,
  on_error = "unreachable",
}

function view.device_code(s)
  return s.device_code
end

-- What the device shows (3.3): the code and where to enter it, while that is of any use.
function view.instructions(s)
  if s.client ~= "waiting" and s.client ~= "asking" then return nil end
  return { user_code = s.user_code, verification_uri = s.verification_uri }
end

function invariant.a_token_is_what_granted_means(s)
  return (s.client == "granted") == (s.access_token ~= nil)
end

function invariant.whoever_polls_knows_when_to_stop(s)
  return s.client ~= "waiting" and s.client ~= "asking" or s.expires_at ~= nil
end
