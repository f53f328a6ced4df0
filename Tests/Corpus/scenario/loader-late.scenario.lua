-- Completions that come too late. Each is the answer to a load, and that load's passage is gone.
flow "loader.lua"

-- One answer for each load: after how many seconds, and what. A text is what goes wrong.
local function answers(...)
  local script, asked = { ... }, 0
  stub("root.fetch", function()
    asked = asked + 1
    local answer = script[asked]
    sleep(answer[1])
    if answer.error then error(answer.error) end
    return answer[2]
  end)
end

scenario("two loads overlap, and the first completes late", function()
  answers({ 10, { "old" } }, { 20, { "new" } })
  pass.load()
  advance(1)
  pass.stop()
  pass.load()
  advance(9)    -- the first one's answer
  expect.refused.loaded():by("gatekeeper phase"):because("stale")
  expect.gatekeeper.phase { "loading" }   -- still the second one's
  expect { items = {} }
  advance(11)   -- the second one's
  expect.gatekeeper.phase { "loaded" }
  expect { items = { "new" } }
end)

scenario("a late failure is as stale as a late success", function()
  answers({ 10, error = "time-out" }, { 20, { "new" } })
  pass.load()
  pass.stop()
  pass.load()
  advance(10)
  expect.refused.failed():because("stale")
  expect { failures = 0, error = none }   -- and nothing is tried again because of it
  advance(10)
  expect { items = { "new" } }
  expect.effects.none()
end)

scenario("it comes after the second one has completed", function()
  answers({ 10, { "old" } }, { 2, { "new" } })
  pass.load()
  pass.stop()
  pass.load()
  advance(10)
  expect.refused.loaded():because("stale")
  expect { items = { "new" } }
end)

scenario("it comes when nobody waits for anything", function()
  answers({ 10, { "old" } })
  pass.load()
  pass.stop()
  advance(10)
  expect.refused.loaded():because("no longer held")
  expect.gatekeeper.phase {}
  expect { items = {} }
end)

scenario("a reload takes the passage from the load", function()
  answers({ 10, { "old" } }, { 20, { "new" } })
  pass.load()
  pass.reload()
  advance(10)
  expect.refused.loaded():because([["loading" that this chain took is now held since reload (#2)]])
  advance(10)
  expect { items = { "new" } }
end)

scenario("a retry, stopped, completes after the next load has begun", function()
  answers({ 1, error = "no network" }, { 10, { "old" } }, { 20, { "new" } })
  pass.load()
  advance(2)    -- it failed at 1; the timer tries again at 2
  expect.view.status("loading")
  pass.stop()
  pass.load()
  advance(10)   -- the retry's answer, through load, failed and the timer
  expect.refused.loaded():because("stale")
  expect.view.status("loading")
  advance(10)
  expect { items = { "new" } }
end)
