-- A server that gives codes for twelve seconds, and answers each request in every way that it can, or not at all.
flow "device.lua"

local codes = {
  "issued",
  device_code = "GmRh", user_code = "WDJB-MJHT", verification_uri = "https://example.com/device",
  expires_in = 12, interval = 5,
}

-- What effects and timers dispatch comes from them alone.
local outside = { poll = false, expire = false, issued = false, answer = false, rejected = false, unreachable = false }

local function answers(errors)
  local all = { { "answer", access_token = "2YotnFZF" }, "unreachable" }
  for _, code in ipairs(errors) do all[#all + 1] = { "answer", error = code } end
  return all
end

explore("within half a minute, whatever the server says", {
  actions = outside,
  effects = {
    at_most = 2,
    start = { codes, { "rejected", error = "invalid_client" }, "unreachable" },
    poll = answers { "authorization_pending", "slow_down", "access_denied", "invalid_scope" },
  },
  time = { up_to = 30 },
}, function()
  always("codes are shown only while they are of use", function(s)
    return view.instructions() == nil or now() < s.expires_at
  end)
  step("a token comes with an answer alone", function(before, after, action)
    return before.access_token == after.access_token or action.name == "answer"
  end)
  sometimes("it is granted", function(s) return s.client == "granted" end)
end)
