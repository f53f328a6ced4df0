-- Five machines with timers of different lengths.
state {}

for i = 1, 5 do
  local go, stop, ends = "go" .. i, "stop" .. i, "end" .. i
  action[go] {}
  action[stop] {}
  action[ends] {}
  machine["m" .. i] {
    initial = "idle",
    idle = { [go] = "busy" },
    busy = { after = { [ends] = 1 + 3 * i }, [ends] = "idle", [stop] = "idle" },
  }
end
