-- Codes that expire, users who give up, and answers that come too late for either.
flow "device.lua"

local lifetime, interval   -- as the server issues them
local latency              -- of the token endpoint

before_each(function()
  lifetime, interval, latency = 12, nil, 0
  stub("root.post", function(path)
    if path == "/device_authorization" then
      return {
        device_code = "GmRhmhcx", user_code = "WDJB-MJHT", expires_in = lifetime,
        verification_uri = "https://example.com/device", interval = interval,
      }
    end
    sleep(latency)
    return { access_token = "token" }
  end)
end)

local function given_pending()
  stub("root.post", function() return { error = "authorization_pending" } end)
end

local function start()
  pass.start()
  settle()
end

scenario("where the server names no interval, it is five seconds", function()
  start()
  expect { interval = 5 }
  advance(5)
  expect.machine.client("granted")
end)

scenario("the server may want a longer one", function()
  interval = 10
  start()
  advance(9)
  expect.machine.client("waiting")
  advance(1)
  expect.machine.client("granted")
end)

scenario("the client knows by itself when its codes expire", function()
  start()
  given_pending()
  advance(11)
  expect.machine.client("waiting")
  advance(1)
  expect.machine.client("expired")
  expect { error = "expired_token" }
  expect.view.instructions(none)
  expect.effects.none()
end)

scenario("codes may expire while a request is under way", function()
  latency = 30
  start()
  advance(12)
  expect.machine.client("expired")
  advance(23)
  expect.refused.answer():by("machine client"):because("possible in: asking")
  expect { access_token = none }
end)

scenario("new codes are asked for when the user wants them, and not before", function()
  start()
  given_pending()
  advance(600)
  expect.machine.client("expired")
  pass.start()
  expect.machine.client("requesting")
  expect { user_code = none, error = none }
end)

scenario("who gives up is left alone", function()
  start()
  pass.give_up()
  expect.machine.client("idle")
  advance(60)
  expect.machine.client("idle")
  expect { user_code = none }
  expect.effects.none()
end)

scenario("an answer to a request of an earlier start is stale", function()
  latency = 20
  start()
  advance(5)        -- the first request leaves, and is answered at 25
  pass.give_up()
  lifetime = 60
  start()
  advance(10)       -- the second one leaves at 10, and is answered at 30
  expect.machine.client("asking")
  advance(10)
  expect.refused.answer():by("gatekeeper request"):because("stale")
  expect.machine.client("asking")
  advance(5)
  expect.machine.client("granted")
end)

-- The same for the first request: whatever its answer is.
for _, late in ipairs { "codes", "a rejection" } do
  scenario(("%s: too late, when it was for an earlier start"):format(late), function()
    stub("root.post", function()
      sleep(10)
      if late == "a rejection" then return { error = "invalid_client" } end
      return { device_code = "d", user_code = "OLD", verification_uri = "u", expires_in = 60 }
    end)
    pass.start()
    advance(5)
    pass.give_up()
    pass.start()
    advance(5)
    expect.machine.client("requesting")
    expect { user_code = none, error = none }
  end)
end

scenario("a server that grants nothing to this client", function()
  stub("root.post", function() return { error = "unauthorized_client" } end)
  start()
  expect.machine.client("failed")
  expect { error = "unauthorized_client" }
end)

scenario("a server that does not answer, or answers nonsense", function()
  stub("root.post", function() error("no route to host") end)
  start()
  expect.machine.client("failed")
  stub("root.post", function() return { user_code = "WDJB-MJHT" } end)   -- and nothing else
  start()
  expect.machine.client("failed")
end)
