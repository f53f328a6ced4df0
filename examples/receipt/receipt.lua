-- The receipt phase of an application for an environmental permit at a Dutch municipality, one
-- application a flow. Actions are named as in the recorded log.

-- The state has no more than the machines do not hold.
state { resource = optional(string) }   -- who did the last step, for a report; the machines hold the rest

local step = { ["org:resource"] = optional(string { samples = { "Resource21" } }) }

local names = {
  "Confirmation of receipt",
  "T02 Check confirmation of receipt",
  "T03 Adjust confirmation of receipt",
  "T04 Determine confirmation of receipt",
  "T05 Print and send confirmation of receipt",
  "T06 Determine necessity of stop advice",
  "T07-1 Draft intern advice aspect 1",
  "T07-2 Draft intern advice aspect 2",
  "T07-3 Draft intern advice hold for aspect 3",
  "T07-4 Draft internal advice to hold for type 4",
  "T07-5 Draft intern advice aspect 5",
  "T08 Draft and send request for advice",
  "T09-1 Process or receive external advice from party 1",
  "T09-2 Process or receive external advice from party 2",
  "T09-3 Process or receive external advice from party 3",
  "T09-4 Process or receive external advice from party 4",
  "T10 Determine necessity to stop indication",
  "T11 Create document X request unlicensed",
  "T12 Check document X request unlicensed",
  "T13 Adjust document X request unlicensed",
  "T14 Determine document X request unlicensed",
  "T15 Print document X request unlicensed",
  "T16 Report reasons to hold request",
  "T17 Check report Y to stop indication",
  "T18 Adjust report Y to stop indicition",   -- as the log spells it
  "T19 Determine report Y to stop indication",
  "T20 Print report Y to stop indication",
}

for _, name in ipairs(names) do
  action[name](step)
  reduce[name] = function(s, a)
    s.resource = a["org:resource"]
  end
end

-- The letter that confirms the receipt: checked, adjusted and checked again, determined, sent.
machine.confirmation {
  initial = "absent",

  absent     = { ["Confirmation of receipt"] = "written" },
  written    = { ["T02 Check confirmation of receipt"] = "checked" },
  checked    = {
    ["T02 Check confirmation of receipt"]     = "checked",
    ["T03 Adjust confirmation of receipt"]    = "written",
    ["T04 Determine confirmation of receipt"] = "determined",
  },
  determined = { ["T05 Print and send confirmation of receipt"] = "sent" },
  sent       = { final = true },
}

-- Document X: why the request needs no licence.
machine.document {
  initial = "absent",

  absent     = { ["T11 Create document X request unlicensed"] = "written" },
  written    = { ["T12 Check document X request unlicensed"] = "checked" },
  checked    = {
    ["T13 Adjust document X request unlicensed"]    = "written",
    ["T14 Determine document X request unlicensed"] = "determined",
  },
  determined = { ["T15 Print document X request unlicensed"] = "printed" },
  printed    = { final = true },
}

-- Report Y: why the request is put on hold.
machine.report {
  initial = "absent",

  absent     = { ["T16 Report reasons to hold request"] = "written" },
  written    = { ["T17 Check report Y to stop indication"] = "checked" },
  checked    = {
    ["T18 Adjust report Y to stop indicition"]   = "written",
    ["T19 Determine report Y to stop indication"] = "determined",
  },
  determined = { ["T20 Print report Y to stop indication"] = "printed" },
  printed    = { final = true },
}

-- Whether to stop: advice is drafted or asked for only after it was found necessary to think of it.
machine.stop {
  initial = "open",

  open       = { ["T06 Determine necessity of stop advice"] = "advised" },
  advised    = {
    ["T06 Determine necessity of stop advice"]     = "advised",
    ["T10 Determine necessity to stop indication"] = "determined",
  },
  determined = {
    ["T06 Determine necessity of stop advice"]     = "advised",
    ["T10 Determine necessity to stop indication"] = "determined",
  },
}

gate("received", "*", function(s, _, name)
  return s.confirmation ~= "absent" or name == names[1], "nothing was received yet"
end)

gate("advised", {
  "T07-1 Draft intern advice aspect 1", "T07-2 Draft intern advice aspect 2",
  "T07-3 Draft intern advice hold for aspect 3", "T07-4 Draft internal advice to hold for type 4",
  "T07-5 Draft intern advice aspect 5", "T08 Draft and send request for advice",
}, function(s)
  return s.stop ~= "open", "whether advice is needed was not determined"
end)

gate("determined", {
  "T11 Create document X request unlicensed", "T16 Report reasons to hold request",
}, function(s)
  return s.stop == "determined", "whether to stop was not determined"
end)
