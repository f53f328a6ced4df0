/// Looks for scripts that make the machine do more than 20,000 instructions for one that they are
/// charged.
///
///   opcodes SEED COUNT SECONDS    draws scripts, so many, or for so long where COUNT is 0
///   opcodes --show SEED           prints that of one seed
///   opcodes --run SEED BUDGET     runs it, as the others do to measure it
///
/// A script is run with budgets of different sizes: what the larger one took more, the instructions
/// in between did. The processor counts, where the system lets it; elsewhere a script that took
/// suspiciously long is run again under valgrind, which counts exactly. Exit codes: 0 nothing was
/// found; 1 something was; 69 it cannot be counted here.

#define _GNU_SOURCE

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <linux/perf_event.h>
#include <sys/syscall.h>
#endif

#include "host.h"

enum { MOST_PER_INSTRUCTION = 20000, SUSPICIOUS_NANOSECONDS = 700, LONGEST_SECONDS = 60 };

static const int64_t budgets[] = {100000, 200000, 1000000, 1100000, 4000000, 4100000};
enum { BUDGETS = sizeof budgets / sizeof *budgets };

// MARK: Drawing a script

enum { MOST_TEXT = 1 << 20 };

static struct {
  char text[MOST_TEXT];
  size_t length;
  uint64_t state;
} drawn;

static uint32_t draw(uint32_t below) {
  drawn.state = drawn.state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)((drawn.state >> 33) % below);
}

/// A number up to `most`: each size as often as its double.
static uint32_t draw_size(uint32_t most) {
  uint32_t digits = 1;
  while (most >> digits > 0) digits++;
  uint32_t size = (1u << draw(digits + 1)) - 1 + draw(1u << draw(digits));
  return size < 1 ? 1 : size < most ? size : most;
}

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  size_t room = sizeof drawn.text - drawn.length;
  int length = vsnprintf(drawn.text + drawn.length, room, format, arguments);
  va_end(arguments);
  if (length > 0 && (size_t)length < room) drawn.length += (size_t)length;
}

static const char *const events[] = {"add", "sub", "mul", "mod", "pow", "div", "idiv", "band",
  "bor", "bxor", "shl", "shr", "unm", "bnot", "len", "eq", "lt", "le", "concat", "close", "call",
  "index", "newindex", "tostring", "pairs"};
/// The last ones have to give what a script may not expect.
enum { EVENTS = sizeof events / sizeof *events, SAFE_EVENTS = EVENTS - 4 };

/// Writes the values that every script has, in random sizes.
static void say_values(void) {
  say("local big = {} for i = 1, %u do big[i] = i end\n", draw_size(60000));
  say("local row = {} for i = 1, %u do row[i] = i %% 100 end\n", draw_size(30000));
  // Chains of __call: nested, linked later, or a circle.
  say("local call = function(...) return %s end\n", draw(2) ? "1" : "...");
  uint32_t links = draw(2) ? 20 + draw(500) : draw_size(20000);
  switch (draw(8)) {
    case 0:
      say("call = setmetatable({}, {}) getmetatable(call).__call = call\n");
      break;
    case 1:
    case 2:
      say("for i = 1, %u do local m = { __call = type } local t = setmetatable({}, m) "
          "m.__call = call call = t end\n", links);
      break;
    default:
      say("for i = 1, %u do call = setmetatable({}, { __call = call }) end\n", links);
  }
  say("local m = {%s} local function f(...) return 1 end\n", draw(2) ? "" : "__name = 'm'");
  for (int i = 0; i < EVENTS; i++) {
    if (i < SAFE_EVENTS || draw(4) == 0) say("m.__%s = %s\n", events[i], draw(3) ? "call" : "f");
  }
  say("local a, b = setmetatable({}, m), setmetatable({}, m)\n");
  // Chains of __index and __newindex.
  say("local chain = { [1] = 1 } for i = 1, %u do chain = setmetatable({ [-i] = 1 }, "
      "{ __index = chain, __newindex = %s }) end\n", draw_size(1990), draw(2) ? "chain" : "nil");
  // A full hash beside an array, numbers of one slot, and tombstones.
  say("local full = {} for i = 1, %u do full[i] = i end for i = 1, %u do full['k' .. i] = i end\n",
    draw_size(200000), 1u << draw(10));
  uint32_t power = 4 + draw(14), held = (1u << power) - draw(1u << (power - 1));
  const char *number = draw(2) ? "1 + i * 2.0 ^ -50" : "i * alike_step";
  say("local alike_step = (1 << %u) - 1 local function number(i) return %s end\n", power, number);
  say("local alike, key, miss = {}, number(1), number(%u) for i = 1, %u do alike[number(i)] = i end\n",
    held + 1, held);
  say("local tombs = {} for i = 1, %u do tombs[%s] = i end for k in pairs(tombs) do tombs[k] = nil "
      "end\n", draw_size(100000), draw(2) ? "-i" : "'t' .. i");
  // Texts.
  static const uint32_t lengths[] = {10, 40, 41, 1000, 4000, 4200, 30000, 200000, 300000, 3000000};
  uint32_t length = lengths[draw(10)];
  say("local text = ('%s'):rep(%u) local s, u = text .. 'a', text .. '%s'\n",
    draw(3) ? "x" : "\\0", length, draw(2) ? "a" : "b");
  say("local named = { [s] = 1 }\n");
  // Functions.
  say("local fs = {} local co = {} local live = {} local n, x, y, z = 0, 0, 0, 0\n");
  say("for i = 1, %u do live[i] = { i, { i } } end\n", draw_size(50000));
  say("for i = 1, %u do co[i] = coroutine.wrap(function(...) while true do "
      "coroutine.yield(...) end end) co[i]() end\n", draw_size(200));
  say("local function deep(d, g) if d > 0 then return 1 + deep(d - 1, g) end g() return 0 end\n");
  say("local function hand(d, ...) if d > 0 then return 1, hand(d - 1, ...) end return ... end\n");
  say("local function vary(...) local p, q = ... return select('#', ...) end\n");
}

static void say_list(const char *item, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) say(item, i);
}

static void say_closure(void) {
  uint32_t count = 1 + draw(150);
  say("do ");
  say_list("local c%u = 1 ", count);
  say("for i = 1, %u do fs[1] = function() return 0", 1 + draw(50));
  say_list(" + c%u", count);
  say(" end end end\n");
}

static void say_constructor(void) {
  uint32_t count = draw_size(3000);
  say("x = {");
  say_list(draw(2) ? "%u," : "[%u * 16383] = 1,", count);
  say("}\n");
}

static void say_step(int depth);

static void say_block(int depth) {
  for (uint32_t i = 0, count = 1 + draw(3); i < count; i++) say_step(depth + 1);
}

/// One thing that a script does.
static void say_step(int depth) {
  static const char *const steps[] = {
    "call()", "call(1, 2, 3)", "pcall(call)", "pcall(pcall, call, table.unpack(row, 1, 200))",
    "x = a + b", "x = a - 1", "x = 1 * a", "x = a & b", "x = -a", "x = ~a", "x = #a",
    "x = a .. 'x'", "x = 'x' .. 1.5 .. a", "x = a == b", "x = a < b", "x = a <= 1",
    "do local c <close> = a end", "x = a.x", "a.x = 1", "x = tostring(a)",
    "for k in pairs(a) do break end", "for k in call do break end",
    "x = chain.x", "x = chain[n]", "chain[1] = n", "x = rawget(chain, n)",
    "full['k' .. n % 97] = nil full['k' .. (n + 4) % 97] = 1", "full[-n] = 1 full[-n + 4] = nil",
    "full[#full + 1] = n", "full[#full] = nil", "x = #full",
    "x = alike[key]", "x = alike[miss]", "alike[miss] = 1 alike[miss] = nil", "x = rawget(alike, miss)",
    "for k in pairs(alike) do break end", "x = next(alike, key)",
    "x = next(tombs)", "for k in pairs(tombs) do end", "tombs[n] = n tombs[n] = nil",
    "x = s == u", "x = s < u", "x = s <= u", "x = named[u]", "named[u] = n", "x = s .. n",
    "x = s .. u .. n", "x = s:upper()", "x = s:find('b', 1, true)", "x = #s:rep(3)",
    "x = s:sub(2)", "x = s:byte(-1)", "x = ('%s'):format(s)", "x = s:gsub('a$', 'b')",
    "x = string.pack('s4s4', s, u)", "x = tonumber(s)", "x = pcall(function() return s + 1 end)",
    "x = 1.5 .. 2.5 .. 3.5 .. 1e300 .. 5e-324", "x = 1e308 % 3e-308", "x = 7.5 ^ 0.1 // 3",
    "x = vary(table.unpack(row))", "x = select('#', table.unpack(row))",
    "x = { table.unpack(row) }", "x = hand(30, table.unpack(row))", "x = table.pack(n, s, u)",
    "x = vary(hand(5, table.unpack(row, 1, 100)))", "x = pcall(error)", "x = pcall(error, s)",
    "deep(2000, function() pcall(error) end)", "deep(500, function() x = pcall(call) end)",
    "deep(20000, function() x = vary(1, 2) pcall(call) end)",
    "vary(table.unpack(big, 1, 60000)) pcall(call)",
    "x = co[n % #co + 1](n)", "x = co[1](table.unpack(row))",
    "x = coroutine.wrap(function() return 1 end)()",
    "x, y, z = n, { n }, { id = n, name = 'x' }", "x, y = y, x",
    "live[n % #live + 1] = { n, { n } }", "for i = 1, 20 do x = { { i }, { i } } end",
    "for i = 1, 10.0 do y = i end", "for i = 1, 3, 0.25 do y = i end",
    "for i = 10, 1, -3 do y = i end", "for i = 1, s do break end",
    "do local i = 0 ::top:: i = i + 1 if i < 20 then goto top end end",
    "table.insert(big, n)", "table.remove(big)", "table.insert(row, 1, n) table.remove(row, 1)",
    "table.move(row, 1, 10, -n, full)", "table.sort(row)", "table.sort({ a, b, a, b, a })",
    "x = table.concat({ s, u, n }, s)", "x = utf8.len(s)", "x = utf8.char(n % 1000)",
    "x = math.max(table.unpack(row, 1, 200))", "x = ipairs(row)",
    "for i in ipairs(row) do if i > 9 then break end end", "x = setmetatable({}, m)", "x = setmetatable({}, { __index = m })",
  };
  enum { STEPS = sizeof steps / sizeof *steps };
  switch (draw(depth > 2 ? 16 : 22)) {
    case 0: say_closure(); return;
    case 1: say_constructor(); return;
    case 16:
    case 17:
      say("for i = 1, %u do ", 1 + draw(100));
      say_block(depth);
      say("end\n");
      return;
    case 18:
      say("pcall(function() ");
      say_block(depth);
      say("end)\n");
      return;
    case 19:
      say("deep(%u, function() ", draw_size(3000));
      say_block(depth);
      say("end)\n");
      return;
    default: say(draw(3) ? "%s\n" : "pcall(function() %s end)\n", steps[draw(STEPS)]);
  }
}

static void draw_script(uint32_t seed) {
  drawn.state = seed * 0x9e3779b97f4a7c15u + 1;
  drawn.length = 0;
  for (int i = 0; i < 8; i++) draw(2);
  say_values();
  say("while true do n = n + 1\n");
  // An expensive step may be so only by itself: some scripts repeat one step.
  uint32_t count = draw(3) ? 1 : 1 + draw(6);
  for (uint32_t i = 0; i < count; i++) {
    size_t start = drawn.length;
    say_step(0);
    size_t length = drawn.length - start, copies = count == 1 && length < 200 ? 8 : 0;
    for (; copies > 0 && drawn.length + length < sizeof drawn.text; copies--) {
      memcpy(drawn.text + drawn.length, drawn.text + start, length);
      drawn.length += length;
    }
  }
  say("end\n");
}

// MARK: Measuring

typedef struct {
  bool ended;
  int64_t charged;
  uint64_t took;  ///< instructions where the processor counts, else nanoseconds
} measured;

/// -1 where the processor counts nothing here.
static int open_counter(void) {
#ifdef __linux__
  struct perf_event_attr wanted = {.type = PERF_TYPE_HARDWARE, .size = sizeof wanted,
    .config = PERF_COUNT_HW_INSTRUCTIONS, .exclude_kernel = 1, .exclude_hv = 1};
  return (int)syscall(SYS_perf_event_open, &wanted, 0, -1, -1, 0);
#else
  return -1;
#endif
}

static uint64_t now(int counter) {
  uint64_t count = 0;
  if (counter >= 0) return read(counter, &count, sizeof count) == sizeof count ? count : 0;
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static latch_status run(int64_t budget, int64_t *charged) {
  latch_vm *vm = test_open((size_t)64 << 20);
  latch_status status =
    test_run(vm, drawn.text, drawn.length, "@drawn.lua", (latch_run){LATCH_SCRIPT, budget});
  *charged = latch_instructions_used(vm);
  if (status == LATCH_SYNTAX) printf("%s\n", test_message(vm));
  latch_close(vm);
  return status;
}

/// Runs the script in a process of its own, which may not end.
static measured measure(int64_t budget, bool counts) {
  measured *result =
    mmap(NULL, sizeof *result, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  *result = (measured){false, 0, 0};
  pid_t child = fork();
  if (child == 0) {
    setrlimit(RLIMIT_CPU, &(struct rlimit){LONGEST_SECONDS, LONGEST_SECONDS});
    int counter = counts ? open_counter() : -1;
    uint64_t start = now(counter);
    run(budget, &result->charged);
    result->took = now(counter) - start;
    result->ended = true;
    _exit(0);
  }
  int status;
  waitpid(child, &status, 0);
  measured copy = *result;
  munmap(result, sizeof copy);
  return copy;
}

/// The machine's instructions of a run, as valgrind counts them; 0 where it cannot.
static uint64_t count_exactly(const char *program, uint32_t seed, int64_t budget) {
  char command[4096], line[256];
  snprintf(command, sizeof command,
    "valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null "
    "'%s' --run %u %lld 2>&1 >/dev/null | sed -n 's/.*I *refs: *//p' | tr -d ,",
    program, seed, (long long)budget);
  FILE *output = popen(command, "r");
  if (output == NULL) return 0;
  uint64_t count = fgets(line, sizeof line, output) == NULL ? 0 : strtoull(line, NULL, 10);
  pclose(output);
  return count;
}

/// Returns true, and prints the script's seed, if the script costs more than it may.
static bool is_found(const char *program, uint32_t seed, bool counts) {
  draw_script(seed);
  measured before = {true, 0, 0};
  for (int i = 0; i < BUDGETS; i++) {
    measured each = measure(budgets[i], counts);
    if (!each.ended) {
      printf("seed %u, %lld instructions: did not end in %d s\n", seed, (long long)budgets[i],
        LONGEST_SECONDS);
      return true;
    }
    int64_t charged = each.charged - before.charged;
    uint64_t took = each.took > before.took ? each.took - before.took : 0;
    uint64_t most = counts ? MOST_PER_INSTRUCTION : SUSPICIOUS_NANOSECONDS;
    if (took > (uint64_t)(charged + 1000) * most) {
      // So long it takes whatever the machine does meanwhile, and valgrind would take an hour.
      bool is_certain = !counts && took > (uint64_t)(charged + 1000) * MOST_PER_INSTRUCTION;
      if (!counts && !is_certain) {
        uint64_t less = i > 0 ? count_exactly(program, seed, budgets[i - 1]) : 0;
        uint64_t more = count_exactly(program, seed, budgets[i]);
        took = more > less ? more - less : 0;
      }
      if (took > (uint64_t)(charged + 1000) * MOST_PER_INSTRUCTION) {
        printf("seed %u: %llu%s for %lld instructions up to %lld, %llu each\n", seed,
          (unsigned long long)took, is_certain ? " nanoseconds" : "", (long long)charged, (long long)budgets[i],
          (unsigned long long)(took / (uint64_t)(charged + 1)));
        return true;
      }
    }
    if (each.charged < budgets[i]) break;  // it has ended by itself
    before = each;
  }
  return false;
}

int main(int count, char **arguments) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (count == 3 && strcmp(arguments[1], "--show") == 0) {
    draw_script((uint32_t)strtoul(arguments[2], NULL, 10));
    fwrite(drawn.text, 1, drawn.length, stdout);
    return 0;
  }
  if (count == 4 && strcmp(arguments[1], "--run") == 0) {
    int64_t charged;
    draw_script((uint32_t)strtoul(arguments[2], NULL, 10));
    latch_status status = run(atoll(arguments[3]), &charged);
    printf("status %d, %lld instructions\n", status, (long long)charged);
    return 0;
  }
  if (count != 4) return 64;
  uint32_t seed = (uint32_t)strtoul(arguments[1], NULL, 10), scripts = 0, found = 0;
  uint32_t most = (uint32_t)strtoul(arguments[2], NULL, 10);
  time_t end = time(NULL) + atol(arguments[3]);
  int counter = open_counter();
  bool counts = counter >= 0;
  if (counts) close(counter);
  if (!counts && system("command -v valgrind >/dev/null") != 0) {
    printf("the processor counts no instructions here, and there is no valgrind\n");
    return 69;
  }
  while (most > 0 ? scripts < most : time(NULL) < end) {
    if (is_found(arguments[0], seed + scripts, counts)) found++;
    scripts++;
  }
  printf("%u scripts\n", scripts);
  return found > 0 ? 1 : 0;
}
