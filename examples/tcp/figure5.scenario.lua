-- The state diagram of RFC 9293 (figure 5), arrow by arrow, and every user call in every state.
flow "tcp.lua"

-- Peer A in each state. Its SYN is number 100 and its FIN 101; those of the other end, 300 and 301.
local numbers = {
  ["CLOSED"]       = { state = "CLOSED" },
  ["LISTEN"]       = { state = "opening.LISTEN", passive = true },
  ["SYN-SENT"]     = { state = "opening.SYN-SENT", iss = 100, snd_una = 100, snd_nxt = 101 },
  ["SYN-RECEIVED"] = { state = "opening.SYN-RECEIVED", iss = 100, snd_una = 100, snd_nxt = 101,
                       irs = 300, rcv_nxt = 301 },
  ["ESTABLISHED"]  = { state = "open.ESTABLISHED", snd_una = 101, snd_nxt = 101, rcv_nxt = 301 },
  ["FIN-WAIT-1"]   = { state = "open.FIN-WAIT-1", snd_una = 101, snd_nxt = 102, rcv_nxt = 301 },
  ["FIN-WAIT-2"]   = { state = "open.FIN-WAIT-2", snd_una = 102, snd_nxt = 102, rcv_nxt = 301 },
  ["CLOSE-WAIT"]   = { state = "open.CLOSE-WAIT", snd_una = 101, snd_nxt = 101, rcv_nxt = 302 },
  ["CLOSING"]      = { state = "closing.CLOSING", snd_una = 101, snd_nxt = 102, rcv_nxt = 302 },
  ["LAST-ACK"]     = { state = "closing.LAST-ACK", snd_una = 101, snd_nxt = 102, rcv_nxt = 302 },
  ["TIME-WAIT"]    = { state = "closing.TIME-WAIT", snd_una = 102, snd_nxt = 102, rcv_nxt = 302 },
}

local function given_state(state)
  given { ends = { a = numbers[state] } }
end

-- Declares a scenario: in this state this event leads to that state, and sends that segment.
local function arrow(from, label, event, payload, to, sent)
  scenario(("%s to %s: %s"):format(from, to, label), function()
    given_state(from)
    payload.at = "a"
    pass[event](payload)
    expect { ends = { a = { state = numbers[to].state, sent = sent or none } } }
  end)
end

arrow("CLOSED", "passive OPEN", "passive_open", {}, "LISTEN")
arrow("CLOSED", "active OPEN / snd SYN", "active_open", {}, "SYN-SENT", "<SEQ=100><CTL=SYN>")
arrow("LISTEN", "CLOSE", "close", {}, "CLOSED")
arrow("LISTEN", "SEND / snd SYN", "send", {}, "SYN-SENT", "<SEQ=100><CTL=SYN>")
arrow("LISTEN", "rcv SYN / snd SYN,ACK", "segment", { seq = 300, syn = true },
  "SYN-RECEIVED", "<SEQ=100><ACK=301><CTL=SYN,ACK>")
arrow("SYN-SENT", "CLOSE", "close", {}, "CLOSED")
arrow("SYN-SENT", "rcv SYN / snd SYN,ACK", "segment", { seq = 300, syn = true },
  "SYN-RECEIVED", "<SEQ=100><ACK=301><CTL=SYN,ACK>")
arrow("SYN-SENT", "rcv SYN,ACK / snd ACK", "segment", { seq = 300, ack = 101, syn = true },
  "ESTABLISHED", "<SEQ=101><ACK=301><CTL=ACK>")
arrow("SYN-RECEIVED", "rcv ACK of SYN", "segment", { seq = 301, ack = 101 }, "ESTABLISHED")
arrow("SYN-RECEIVED", "CLOSE / snd FIN", "close", {},
  "FIN-WAIT-1", "<SEQ=101><ACK=301><CTL=FIN,ACK>")
arrow("ESTABLISHED", "CLOSE / snd FIN", "close", {},
  "FIN-WAIT-1", "<SEQ=101><ACK=301><CTL=FIN,ACK>")
arrow("ESTABLISHED", "rcv FIN / snd ACK", "segment", { seq = 301, ack = 101, fin = true },
  "CLOSE-WAIT", "<SEQ=101><ACK=302><CTL=ACK>")
arrow("FIN-WAIT-1", "rcv ACK of FIN", "segment", { seq = 301, ack = 102 }, "FIN-WAIT-2")
arrow("FIN-WAIT-1", "rcv FIN / snd ACK", "segment", { seq = 301, ack = 101, fin = true },
  "CLOSING", "<SEQ=102><ACK=302><CTL=ACK>")
arrow("FIN-WAIT-2", "rcv FIN / snd ACK", "segment", { seq = 301, ack = 102, fin = true },
  "TIME-WAIT", "<SEQ=102><ACK=302><CTL=ACK>")
arrow("CLOSE-WAIT", "CLOSE / snd FIN", "close", {}, "LAST-ACK", "<SEQ=101><ACK=302><CTL=FIN,ACK>")
arrow("CLOSING", "rcv ACK of FIN", "segment", { seq = 302, ack = 102 }, "TIME-WAIT")
arrow("LAST-ACK", "rcv ACK of FIN", "segment", { seq = 302, ack = 102 }, "CLOSED")
arrow("TIME-WAIT", "Timeout=2MSL", "time_wait_timeout", {}, "CLOSED")

scenario("TIME-WAIT ends by itself after 2 MSL", function()
  given_state "FIN-WAIT-2"
  pass.segment { at = "a", seq = 301, ack = 102, fin = true }
  advance(239)
  expect.view.status { a = "TIME-WAIT", b = "CLOSED" }
  advance(1)
  expect.view.status { a = "CLOSED", b = "CLOSED" }
end)

-- The notes below the figure.

scenario("note 1: a reset of the handshake leads back to LISTEN after a passive OPEN", function()
  given_state "SYN-RECEIVED"
  given { ends = { a = { passive = true } } }
  pass.segment { at = "a", seq = 301, rst = true }
  expect {
    ends = { a = { state = "opening.LISTEN", signal = none, snd_nxt = none, rcv_nxt = none } },
  }
end)

scenario("note 1: and to CLOSED after an active one", function()
  given_state "SYN-RECEIVED"
  pass.segment { at = "a", seq = 301, rst = true }
  expect { ends = { a = { state = "CLOSED", signal = "error: connection refused" } } }
end)

arrow("FIN-WAIT-1", "note 2, rcv FIN and ACK of FIN / snd ACK", "segment",
  { seq = 301, ack = 102, fin = true }, "TIME-WAIT", "<SEQ=102><ACK=302><CTL=ACK>")

for _, state in ipairs { "ESTABLISHED", "FIN-WAIT-1", "FIN-WAIT-2", "CLOSE-WAIT" } do
  scenario("note 3: a reset in " .. state .. " aborts the connection", function()
    given_state(state)
    pass.segment { at = "a", seq = numbers[state].rcv_nxt, rst = true }
    expect {
      ends = { a = { state = "CLOSED", signal = "error: connection reset", snd_nxt = none } },
    }
  end)
end

for _, state in ipairs { "CLOSING", "LAST-ACK", "TIME-WAIT" } do
  scenario("note 3: a reset in " .. state .. " is no news to the user", function()
    given_state(state)
    pass.segment { at = "a", seq = 302, rst = true }
    expect { ends = { a = { state = "CLOSED", signal = none, snd_nxt = none } } }
  end)
end

-- The calls (3.10.1 to 3.10.5): the state that follows, or the error.

local missing = "error: connection does not exist"
local exists  = "error: connection already exists"
local closing = "error: connection closing"
local no_room = "error: insufficient resources"

local calls = { "passive_open", "active_open", "send", "close", "abort" }
local table_of_calls = {
  ["CLOSED"]       = { "LISTEN", "SYN-SENT", missing,       missing,      missing  },
  ["LISTEN"]       = { exists,   "SYN-SENT", "SYN-SENT",    "CLOSED",     "CLOSED" },
  ["SYN-SENT"]     = { exists,   exists,     no_room,       "CLOSED",     "CLOSED" },
  ["SYN-RECEIVED"] = { exists,   exists,     no_room,       "FIN-WAIT-1", "CLOSED" },
  ["ESTABLISHED"]  = { exists,   exists,     "ESTABLISHED", "FIN-WAIT-1", "CLOSED" },
  ["FIN-WAIT-1"]   = { exists,   exists,     closing,       closing,      "CLOSED" },
  ["FIN-WAIT-2"]   = { exists,   exists,     closing,       closing,      "CLOSED" },
  ["CLOSE-WAIT"]   = { exists,   exists,     "CLOSE-WAIT",  "LAST-ACK",   "CLOSED" },
  ["CLOSING"]      = { exists,   exists,     closing,       closing,      "CLOSED" },
  ["LAST-ACK"]     = { exists,   exists,     closing,       closing,      "CLOSED" },
  ["TIME-WAIT"]    = { exists,   exists,     closing,       closing,      "CLOSED" },
}

for state, answers in pairs(table_of_calls) do
  for n, call in ipairs(calls) do
    scenario(("%s in %s"):format(call, state), function()
      given_state(state)
      if answers[n]:find("^error") then
        refuse[call] { at = "a" }:because(answers[n])
      else
        pass[call] { at = "a" }
        expect { ends = { a = { state = numbers[answers[n]].state } } }
      end
    end)
  end
end

-- An abort resets the other end where it may think itself connected.
local resetting = { "SYN-RECEIVED", "ESTABLISHED", "FIN-WAIT-1", "FIN-WAIT-2", "CLOSE-WAIT" }
for _, state in ipairs(resetting) do
  scenario("abort in " .. state .. " sends a reset", function()
    given_state(state)
    pass.abort { at = "a" }
    expect { ends = { a = { sent = ("<SEQ=%d><CTL=RST>"):format(numbers[state].snd_nxt) } } }
  end)
end
