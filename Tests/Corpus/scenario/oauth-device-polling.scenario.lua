-- The codes of the RFC's own example (3.2), and what becomes of them at the token endpoint (3.5).
flow "device.lua"

local issued = {
  device_code = "GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS", user_code = "WDJB-MJHT",
  verification_uri = "https://example.com/device", expires_in = 1800, interval = 5,
}

local asked     -- the times at which the server was asked for the token
local answers   -- what it answers, one after the other; the last one again and again

before_each(function()
  asked, answers = {}, { "authorization_pending" }
  stub("root.post", function(path, fields)
    if path == "/device_authorization" then return issued end
    assert(fields.device_code == issued.device_code and fields.client_id == "1406020730")
    assert(fields.grant_type == "urn:ietf:params:oauth:grant-type:device_code")
    table.insert(asked, now())
    local answer = #answers > 1 and table.remove(answers, 1) or answers[1]
    if answer == "time-out" then error("connection timed out") end
    return answer == "token" and { access_token = "2YotnFZFEjr1zCsicMWpAA" } or { error = answer }
  end)
  pass.start()
  settle()
end)

local function asked_at(...)
  local times = { ... }
  assert(#asked == #times, ("asked %d times"):format(#asked))
  for n, time in ipairs(times) do
    assert(asked[n] == time, ("request %d at %s, not at %s"):format(n, asked[n], time))
  end
end

scenario("the device shows what the user needs, and nothing else", function()
  expect.machine.client("waiting")
  expect.view.instructions {
    user_code = "WDJB-MJHT", verification_uri = "https://example.com/device",
  }
  assert(view.instructions().device_code == nil)
end)

scenario("it waits for the interval before each request, the first one, too", function()
  advance(4.9)
  asked_at()
  advance(10.1)
  asked_at(5, 10, 15)
  expect.machine.client("waiting")
end)

scenario("the user takes his time, and grants it", function()
  answers = { "authorization_pending", "authorization_pending", "token" }
  advance(15)
  expect.machine.client("granted")
  expect { access_token = "2YotnFZFEjr1zCsicMWpAA", error = none }
  expect.view.instructions(none)
  advance(1800)   -- codes that expire now matter to nobody
  asked_at(5, 10, 15)
  expect.effects.none()
end)

scenario("slow_down adds five seconds, for this request and for all others", function()
  answers = { "slow_down", "authorization_pending", "slow_down", "authorization_pending" }
  advance(60)
  asked_at(5, 15, 25, 40, 55)   -- every 10 seconds, then every 15
  expect { interval = 15 }
end)

scenario("a connection timeout doubles the interval", function()
  answers = { "time-out", "time-out", "authorization_pending" }
  advance(55)
  asked_at(5, 15, 35, 55)
  expect { interval = 20 }
end)

-- Codes that end it. What is in neither list of 3.5 is an error of RFC 6749, 5.2, or one of the
-- server's own: the client stops all the same.
local ends = {
  access_denied = "denied", expired_token = "expired",
  invalid_request = "failed", invalid_client = "failed", invalid_grant = "failed",
  unauthorized_client = "failed", unsupported_grant_type = "failed", invalid_scope = "failed",
  out_of_cheese = "failed",
}

for code, state in pairs(ends) do
  scenario(code .. " ends the polling", function()
    answers = { "authorization_pending", code }
    advance(60)
    asked_at(5, 10)
    expect.machine.client(state)
    expect { error = code, access_token = none }
    expect.view.instructions(none)
    expect.effects.none()
    pass.start()   -- the user may want to begin again
  end)
end
