-- Attempt: work out a delay that holds one table a million times.
-- Stopped: the instruction limit is reached

state { n = 0 }
action.good {}
action.hostile {}
action.late {}

machine.m {
  initial = "a",
  a = { hostile = "b", late = "a" },
  b = {
    late = "a",
    after = {
      late = function()
        local t = {}
        for _ = 1, 40 do t = { t, t } end
        return t
      end,
    },
  },
}
function reduce.good(s) s.n = s.n + 1 end
