-- Two users, one device, a network that may fail or take so long that somebody has logged out.
flow "session.lua"

local ann, ben = { id = "1", name = "ann" }, { id = "2", name = "ben" }
local log_in = { title = "Log in" }

explore("two users", {
  actions = {
    log_in = { name = { "ann" }, password = { "secret" } },
    rename = false,   -- a name decides nothing
    open_message = { number = { 7 } },
    reply = { text = { "yes" } },
    -- What effects dispatch comes from them alone.
    logged_in = false, log_in_failed = false, show = false, store = false, sync_failed = false,
  },
  effects = {
    start  = { { "logged_in", session = ben }, { "show", screen = log_in } },
    log_in = { { "logged_in", session = ann }, { "log_in_failed", error = "no network" } },
    log_in_failed = { { "show", screen = log_in } },
    show_profile  = { { "show", screen = { title = "Profile" } }, false },
    show_message  = { { "show", screen = { title = "Message" } }, false },
    log_out       = { { "show", screen = log_in } },
    sync   = { { "store", number = 7, text = "hello" }, { "sync_failed", error = "closed" }, false },
    at_most = 2,
  },
}, function()
  always("a message is on the screen of a user alone", function(s)
    return s.opened == nil or s.session ~= nil
  end)
  always("who is logged out sees nothing of a user", function(s)
    return s.session ~= nil or s.screen == nil or s.screen.title == "Log in"
  end)
  step("nothing of one user is kept for the next", function(before, after)
    return before.session == nil or after.session == nil or before.session.id == after.session.id
  end)
  step("nobody logs in over another", function(before, _, action)
    return action.name ~= "log_in" or before.session == nil
  end)
end)
