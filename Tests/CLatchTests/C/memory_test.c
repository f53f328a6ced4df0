/// A script whose memory runs out anywhere: it ends well or with the limit, and the VM answers afterwards.

#include <stdio.h>
#include <unistd.h>

#include "host.h"

static const char everything[] =
  "local t = {} for i = 1, 60 do t[i] = ('k%03d'):format(i * 7 % 61) end\n"
  "local s = table.concat(t, ',')\n"
  "s = s:gsub('%d+', function(d) return d .. d end):gsub(',', { [','] = ';' }):gsub('k', '<%0>')\n"
  "for word, place in s:gmatch('(%w+)()') do assert(place > #word) end\n"
  "table.sort(t) table.sort(t, function(a, b) return a > b end)\n"
  "local set = {} for _, k in ipairs(t) do set[k] = #k end\n"
  "for k, v in pairs(set) do assert(v == #k) end\n"
  "local k repeat k = next(set, k) until k == nil\n"
  "s = (s:rep(20, '-'):reverse():upper():sub(2)) .. ('%q'):format(s)\n"
  "local packed = string.pack('s4z!8d', s, 'x', 1.5) assert(string.unpack('s4', packed) == s)\n"
  "local co = coroutine.wrap(function(...) local x <close> = setmetatable({}, { __close = function() "
  "end }) coroutine.yield(...) error({ 1 }) end)\n"
  "co(table.unpack(t)) pcall(co) xpcall(error, tostring, {})\n"
  "utf8.char(utf8.codepoint(('\\u{20ac}'):rep(100), 1, -1)) tostring(setmetatable({}, { __tostring = "
  "function() return ('x'):rep(300) end }))\n";

/// Runs it under hundreds of limits, from one that is too small for its first step to one that is
/// large enough: each run ends well or with the limit, and the VM answers afterwards.
int main(void) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  alarm(540);  // a script that nothing stops ends the whole test, not the machine's day
  int failures = 0, refused = 0;
  size_t limit = 0;
  latch_status status = LATCH_MEMORY;
  for (int step = 0; step < 2000 && (status != LATCH_OK || refused == 0); step++) {
    latch_vm *vm = test_open(0);
    latch_collect_garbage(vm);
    limit = latch_memory_used(vm) + (size_t)step * 512;
    latch_set_memory_limit(vm, limit);
    status = test_run_script(vm, everything);
    if (status == LATCH_MEMORY) refused++;
    if (status != LATCH_OK && status != LATCH_MEMORY) {
      printf("FAIL with %zu bytes: status %d, %s\n", limit, status, test_message(vm));
      failures++;
    }
    latch_set_memory_limit(vm, 0);
    if (test_run_script(vm, "assert(('x'):rep(3) == 'xxx')") != LATCH_OK) {
      printf("FAIL with %zu bytes: the VM is broken\n", limit);
      failures++;
    }
    latch_close(vm);
  }
  if (status != LATCH_OK) {
    printf("FAIL no limit was large enough\n");
    failures++;
  }
  printf("memory: %d limits refused, %d failures\n", refused, failures);
  return failures == 0 ? 0 : 1;
}
