-- The e-mail app of "Managing objects using Locks and Keys". What needs a user is made in the
-- user's scope, what needs a message in the message's, and a scope is open while the state holds
-- its key. So nobody asks whether there is a user: where it matters, there is one.
local session = { id = string, name = string }
local filled  = string { min_length = 1 }

state {
  session = optional(session),                 -- the user who is logged in; the id is the key
  opened  = optional(integer),                 -- the message on the screen: the key to it
  stored  = map_of { string, key = integer },  -- texts of messages, to be read without a network
  screen  = optional(any),                     -- what the host draws

  log_in_error = optional(string),
  sync_error   = optional(string),
}

action.start {}
action.log_in { name = filled, password = filled }
action.logged_in { session = session }
action.log_in_failed { error = string }
action.show { screen = any }

action.sync {}
action.sync_failed { error = string }

-- The user's.
action.show_profile {}
action.rename { name = filled }
action.open_message { number = integer }
action.store { number = integer, text = string }
action.log_out {}

-- A message's.
action.show_message {}
action.reply { text = filled }
action.close_message {}

-- ------------------------------------------------------------------ Locks, and what they hide

scope.root {
  make = {
    image_loader = function(self)
      return function(name) return self:load_image(name .. ".jpg") end
    end,
    log_in_screen = function()
      return { title = "Log in", problem = view.log_in_error() }
    end,
  },
}

scope.user {
  key     = function(s) return s.session and s.session.id end,
  actions = { "show_profile", "rename", "open_message", "store", "log_out" },
  make    = {
    profile_screen = function(self)
      local load = self:image_loader()   -- the root's: children see their parents
      return { title = view.user_name(), photo = load(self.key) }
    end,
  },
}

scope.message {
  parent  = "user",
  key     = function(s) return s.opened end,
  actions = { "show_message", "reply", "close_message" },
  make    = {
    text = function(self)
      return self:load_text(self.key)    -- a capability of the user's scope
    end,
    message_screen = function(self)
      local text = self:text()
      return { title = ("Message %d for %s"):format(self.key, view.user_name()), text = text }
    end,
  },
}

-- One log-in at a time, and no log-in over another.
gatekeeper.entrance { log_in = "attempt", logged_in = "reset", log_in_failed = "reset" }

gate("nobody is logged in", { "start", "log_in", "logged_in" }, function(s)
  return not s.session, "log out first"
end)

-- ------------------------------------------------------------------ What happens to the state

function reduce.logged_in(s, a)
  s.session, s.log_in_error = a.session, nil
end

function reduce.log_in_failed(s, a)
  s.log_in_error = a.error
end

function reduce.show(s, a)
  s.screen = a.screen
end

function reduce.rename(s, a)
  s.session.name = a.name   -- the id stays, and with it everything that was handed out
end

function reduce.open_message(s, a)
  s.opened = a.number
end

function reduce.close_message(s)
  s.opened = nil
end

function reduce.store(s, a)
  s.stored[a.number] = a.text
end

function reduce.sync(s)
  s.sync_error = nil
end

function reduce.sync_failed(s, a)
  s.sync_error = a.error
end

function reduce.log_out(s)
  s.session, s.opened, s.stored, s.screen = nil, nil, map {}, nil
end

function view.user_name(s)
  return s.session and s.session.name
end

function view.log_in_error(s)
  return s.log_in_error
end

function view.sync_error(s)
  return s.sync_error
end

function invariant.nothing_of_a_user_outlives_the_session(s)
  return s.session ~= nil or s.opened == nil and next(s.stored) == nil
end

-- ------------------------------------------------------------------ What happens in the world

-- The post's makeRootViewController: the key chain may hold the key.
function effect.start(self)
  local kept = self:read_keychain()
  if kept then
    dispatch.logged_in { session = kept }
  else
    dispatch.show { screen = self:log_in_screen() }
  end
end

-- The post's handleLoginResult. A network that is down is no answer: that raises an error.
effect.log_in = {
  run = function(self, a)
    local answer = self:authenticate(a.name, a.password)
    if answer.session then
      self:write_keychain(answer.session)
      dispatch.logged_in { session = answer.session }
    else
      dispatch.log_in_failed { error = answer.problem }
    end
  end,
  on_error = "log_in_failed",
}

function effect.log_in_failed(self)
  dispatch.show { screen = self:log_in_screen() }
end

function effect.logged_in()
  dispatch.show_profile()
end

-- What has to wait belongs to the scope that it waits for: log-out, or another message, stops it.
function effect.show_profile(self)
  dispatch.show { screen = self:profile_screen() }
end

function effect.show_message(self)
  dispatch.show { screen = self:message_screen() }
end

function effect.open_message(self, a)
  local message = self:unlock("message")
  message:defer(function() self:mark_as_read(a.number) end)   -- however it comes to be closed
  dispatch.show_message()
end

function effect.close_message()
  dispatch.show_profile()
end

function effect.reply(self, a)
  self:send(self.key, a.text)
end

-- No user's, and it is handed a user's scope all the same. Log-out takes that back: whatever this
-- asks of it then, be it the key, ends it, and nothing of one user is stored for the next.
effect.sync = {
  run = function(self)
    local user = self:unlock("user")
    for _, number in ipairs(user:inbox()) do
      local message <close> = user:unlock("message", number)   -- by hand, with a key of our own
      local text = message:text()
      dispatch.store { number = message.key, text = text }
    end
  end,
  on_error = "sync_failed",
}

-- Its scope is closed by now. What is left of it is the way to its parent.
function effect.log_out(self)
  local root = self.parent
  root:erase_keychain()
  dispatch.show { screen = root:log_in_screen() }
end
