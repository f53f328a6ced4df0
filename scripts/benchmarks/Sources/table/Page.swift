/// The table as a page of the documentation.
struct Page {
  let text: String

  init(_ table: Table) {
    let lines = [Row.titles, Row.titles.map { _ in "---" }] + table.rows.map(\.cells)
    let rows = lines.map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n")
    let peers = table.versions.isEmpty ? "" : " Against \(table.versions.joined(separator: ", "))."
    let missing = table.faults.map { "\nNot compared with: \($0).\n" }.joined()
    let misses = table.rows.count { $0.passes == false }
    text = """
      # How fast it is

      What Moonlatch takes, beside what people would use instead and beside the least that Lua takes.

      ## Overview

      Written by `scripts/bench table`, all figures from one run on \(table.machine).\(peers)
      \(misses == 0 ? "Every limit is kept." : "\(misses) of the limits are not kept: MISS.")

      \(rows)
      \(missing)
      \(Page.method)
      """
  }

  /// How the work was made equal, and where it is not.
  private static let method = """
    To measure again:

    <!-- not run: it measures for a minute, and no two runs give the same figures -->
    ```console
    $ ./scripts/bench table
    $ ./scripts/bench table --page Speed.md
    ```

    ## How it is measured

    A time is the least of many rounds (200 of 1,000 dispatches each; the others alike), of which the first warm up. Ours are measured in turn in one
    process, and so is bare Lua; each peer is a program of its own, and reads its own clock. Every program checks that its work was done: the
    counts in the end, what is toggled in the end. Hosts have their default limits and a virtual clock, where not said otherwise.

    ## What each side does

    - **Two bare calls from C**: the gate rule and the reducer, letter for letter those of the flow, through `lua_pcall` on a raw table. They do less:
      no payload is checked, no write, no limit holds, nothing can be taken back, there is no patch and no history.
    - **Redux** in production mode, with the gate's rule in the reducer; ten slices are joined by `combineReducers`, and ten actions reach each of them
      in turn. It does less: no payload and no write is checked, no limit holds, there is no patch and no history. Its toggle stands here twice, as its
      documentation writes it: with normalized state (Redux Fundamentals, part 7), each record under its name, where a spread copies the table of
      records; and in a list (part 3), which `map` copies. What a copy of 1,000 takes depends on V8: 100 to 200 us with names, 5 us for the list, and
      0.6 us if the names were numbers. Ours writes in place and remembers what stood there, whatever the shape. The limit is that of the first form:
      thirty times as fast as `map` would be less than three bare calls of Lua take.
    - **The state machines**: two states, one event that leads from each to the other, a guard that reads a counter and a reducer that adds to it.
      python-statemachine and transitions call methods of a Python object. Qt SCXML evaluates guard and assignment in its ECMAScript
      data model; 250 events are submitted, and then the event loop runs. None of them checks what is written, or keeps what it takes to go back.
    - **1 of 100,000 records** against 1 of 10: both toggle the same ten records in turn. The least of the rounds leaves out those in which the garbage
      collector is at work on what is there; the mean has them in.
    - **Views**: 1 and 100 of them, each with a subscriber; the action changes what one of them reads.
    - **Flows of realistic size**: gate rule, reducer and invariant are letter for letter those of the flow, called from C on plain tables. What a
      script does with whole collections costs more than one write: the plain side pays for nothing but the loop, ours runs it under the hook that
      counts instructions, and remembers each old value, its path and its patch.
    - **Records to Swift and back**: `state()`, then a dispatch with the records as its payload, which is checked, and a reducer that counts them; the
      host keeps a history of one. JSON is encoded and decoded with Foundation, once from and to Codable types, once from and to dictionaries. As
      Codable types the records are a payload, and come back from a view that is worked out anew.
    - **A host** of a `LoadedFlow` of the counter is made and dropped; the bare state is `luaL_newstate`, `luaL_openlibs`, `lua_close`.
    - **Memory** is measured in processes of their own. For the records it is what Lua holds after a full collection on both sides, the host keeping a
      history of one, and each record toggled once; then what malloc has given out, as it is without asking for a collection. For idle hosts it is
      what the process grows by, those that have dispatched keeping a history of one; for the history what malloc has given out.

    """
}
