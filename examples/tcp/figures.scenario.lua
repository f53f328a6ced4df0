-- The exchanges that RFC 9293 draws, line by line: the state of peer A, the segment, the state of
-- peer B. As there, an arrow tells that a segment leaves or arrives, dots that it is on its way,
-- and states are those after the line. Where a figure leaves a state out, it is filled in.
flow "tcp.lua"

local function arriving(at, text)
  local function bit(name)
    return text:find(name, 1, true) ~= nil
  end
  return {
    at = at, seq = tonumber(text:match("SEQ=(%d+)")), ack = tonumber(text:match("ACK=(%d+)")),
    data = tonumber(text:match("DATA=(%d+)")), syn = bit "SYN", fin = bit "FIN", rst = bit "RST",
  }
end

local refusal   -- of the last segment, when it was dropped: the next line shows the reply

local function sends(at, text)
  if refusal then
    refusal:because("reply " .. text)
    refusal = nil
  else
    expect { ends = { [at] = { sent = text } } }
  end
end

-- Who sends and who receives in a line (neither need be in it), and the segment.
local function read(line)
  local west, text, east = line:match("^(%S+) (%S+) +(%S+)$")
  if west == "<--" or east == "<--" then
    return east == "<--" and "b", west == "<--" and "a", text
  end
  return west == "-->" and "a", east == "-->" and "b", text
end

local function step(a, line, b)
  local from, to, text = read(line)
  if from then sends(from, text) end
  if to then pass.segment(arriving(to, text)) end
  expect.view.status { a = a, b = b }
end

-- A line whose segment is dropped where it arrives.
local function dropped(a, line, b)
  local from, to, text = read(line)
  if from then sends(from, text) end
  refusal = refuse.segment(arriving(to, text))
  expect.view.status { a = a, b = b }
end

-- Both ends in the middle of a connection, A about to send 100 and B about to send 300.
local function established()
  given {
    ends = {
      a = { state = "open.ESTABLISHED", snd_una = 100, snd_nxt = 100, rcv_nxt = 300,
            iss = 99, irs = 299 },
      b = { state = "open.ESTABLISHED", snd_una = 300, snd_nxt = 300, rcv_nxt = 100,
            iss = 299, irs = 99 },
    },
  }
end

scenario("figure 6: basic three-way handshake", function()
  pass.passive_open { at = "b" }
  pass.active_open { at = "a" }
  step("SYN-SENT",    "--> <SEQ=100><CTL=SYN>                   -->", "SYN-RECEIVED")
  step("ESTABLISHED", "<-- <SEQ=300><ACK=101><CTL=SYN,ACK>      <--", "SYN-RECEIVED")
  step("ESTABLISHED", "--> <SEQ=101><ACK=301><CTL=ACK>          -->", "ESTABLISHED")
  pass.send { at = "a", data = 10 }
  step("ESTABLISHED", "--> <SEQ=101><ACK=301><DATA=10><CTL=ACK> -->", "ESTABLISHED")
  expect { ends = { b = { rcv_nxt = 111, sent = "<SEQ=301><ACK=111><CTL=ACK>" } } }
end)

scenario("figure 7: simultaneous connection synchronization", function()
  pass.active_open { at = "a" }
  pass.active_open { at = "b" }
  step("SYN-SENT",     "--> <SEQ=100><CTL=SYN>              ...", "SYN-SENT")
  step("SYN-RECEIVED", "<-- <SEQ=300><CTL=SYN>              <--", "SYN-SENT")
  step("SYN-RECEIVED", "... <SEQ=100><CTL=SYN>              -->", "SYN-RECEIVED")
  step("SYN-RECEIVED", "--> <SEQ=100><ACK=301><CTL=SYN,ACK> ...", "SYN-RECEIVED")
  step("ESTABLISHED",  "<-- <SEQ=300><ACK=101><CTL=SYN,ACK> <--", "SYN-RECEIVED")
  step("ESTABLISHED",  "... <SEQ=100><ACK=301><CTL=SYN,ACK> -->", "ESTABLISHED")
end)

scenario("figure 8: recovery from an old duplicate SYN", function()
  pass.passive_open { at = "b" }
  pass.active_open { at = "a" }
  step("SYN-SENT",    "--> <SEQ=100><CTL=SYN>              ...", "LISTEN")
  step("SYN-SENT",    "... <SEQ=90><CTL=SYN>               -->", "SYN-RECEIVED")
  dropped("SYN-SENT", "<-- <SEQ=300><ACK=91><CTL=SYN,ACK>  <--", "SYN-RECEIVED")
  step("SYN-SENT",    "--> <SEQ=91><CTL=RST>               -->", "LISTEN")
  pass.clock { at = "b", isn = 400 }
  step("SYN-SENT",    "... <SEQ=100><CTL=SYN>              -->", "SYN-RECEIVED")
  step("ESTABLISHED", "<-- <SEQ=400><ACK=101><CTL=SYN,ACK> <--", "SYN-RECEIVED")
  step("ESTABLISHED", "--> <SEQ=101><ACK=401><CTL=ACK>     -->", "ESTABLISHED")
end)

-- A has lost its memory in a crash; B has not noticed. A's new SYN is outside B's window.
scenario("figure 9: half-open connection discovery", function()
  given {
    ends = {
      a = { isn = 400 },
      b = { state = "open.ESTABLISHED", snd_una = 300, snd_nxt = 300, rcv_nxt = 100,
            rcv_wnd = 300 },
    },
  }
  pass.active_open { at = "a" }
  dropped("SYN-SENT", "--> <SEQ=400><CTL=SYN>              -->", "ESTABLISHED")
  dropped("SYN-SENT", "<-- <SEQ=300><ACK=100><CTL=ACK>     <--", "ESTABLISHED")
  step("SYN-SENT",    "--> <SEQ=100><CTL=RST>              -->", "CLOSED")
  expect { ends = { b = { signal = "error: connection reset" } } }

  -- "The problem is now reduced to the basic three-way handshake."
  pass.passive_open { at = "b" }
  step("SYN-SENT",    "--> <SEQ=400><CTL=SYN>              -->", "SYN-RECEIVED")
  step("ESTABLISHED", "<-- <SEQ=300><ACK=401><CTL=SYN,ACK> <--", "SYN-RECEIVED")
  step("ESTABLISHED", "--> <SEQ=401><ACK=301><CTL=ACK>     -->", "ESTABLISHED")
end)

scenario("figure 10: the active side causes half-open connection discovery", function()
  given {
    ends = { b = { state = "open.ESTABLISHED", snd_una = 300, snd_nxt = 300, rcv_nxt = 100 } },
  }
  pass.send { at = "b", data = 10 }
  dropped("CLOSED", "<-- <SEQ=300><ACK=100><DATA=10><CTL=ACK> <--", "ESTABLISHED")
  step("CLOSED",    "--> <SEQ=100><CTL=RST>                   -->", "CLOSED")
  expect { ends = { b = { signal = "error: connection reset" } } }
end)

-- In the figure Z is the number of the old SYN, here 90, and X that of the answer, here 300.
scenario("figure 11: an old duplicate SYN initiates a reset on two passive sockets", function()
  pass.passive_open { at = "a" }
  pass.passive_open { at = "b" }
  step("LISTEN",    "... <SEQ=90><CTL=SYN>              -->", "SYN-RECEIVED")
  dropped("LISTEN", "<-- <SEQ=300><ACK=91><CTL=SYN,ACK> <--", "SYN-RECEIVED")
  step("LISTEN",    "--> <SEQ=91><CTL=RST>              -->", "LISTEN")
  expect { ends = { b = { signal = none } } }
end)

scenario("figure 12: normal close sequence", function()
  established()
  pass.close { at = "a" }
  step("FIN-WAIT-1", "--> <SEQ=100><ACK=300><CTL=FIN,ACK> -->", "CLOSE-WAIT")
  step("FIN-WAIT-2", "<-- <SEQ=300><ACK=101><CTL=ACK>     <--", "CLOSE-WAIT")
  pass.close { at = "b" }
  step("TIME-WAIT",  "<-- <SEQ=300><ACK=101><CTL=FIN,ACK> <--", "LAST-ACK")
  step("TIME-WAIT",  "--> <SEQ=101><ACK=301><CTL=ACK>     -->", "CLOSED")
  pass.time_wait_timeout { at = "a" }
  expect.view.status { a = "CLOSED", b = "CLOSED" }
end)

scenario("figure 13: simultaneous close sequence", function()
  established()
  pass.close { at = "a" }
  pass.close { at = "b" }
  step("FIN-WAIT-1", "--> <SEQ=100><ACK=300><CTL=FIN,ACK> ...", "FIN-WAIT-1")
  step("CLOSING",    "<-- <SEQ=300><ACK=100><CTL=FIN,ACK> <--", "FIN-WAIT-1")
  step("CLOSING",    "... <SEQ=100><ACK=300><CTL=FIN,ACK> -->", "CLOSING")
  step("CLOSING",    "--> <SEQ=101><ACK=301><CTL=ACK>     ...", "CLOSING")
  step("TIME-WAIT",  "<-- <SEQ=301><ACK=101><CTL=ACK>     <--", "CLOSING")
  step("TIME-WAIT",  "... <SEQ=101><ACK=301><CTL=ACK>     -->", "TIME-WAIT")
  pass.time_wait_timeout { at = "a" }
  pass.time_wait_timeout { at = "b" }
  expect.view.status { a = "CLOSED", b = "CLOSED" }
end)
