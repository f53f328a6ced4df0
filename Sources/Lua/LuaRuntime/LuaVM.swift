import CLatch

/// What kind of code a call runs: it decides whether the state may be written.
package enum Phase {
  case loading, rule, reducer, view, invariant, effect, script
  /// A piece of work of which all the others may be parts.
  case dispatch

  var latch: latch_phase {
    switch self {
    case .loading: LATCH_LOADING
    case .rule: LATCH_RULE
    case .reducer: LATCH_REDUCER
    case .view: LATCH_VIEW
    case .invariant: LATCH_INVARIANT
    case .effect: LATCH_EFFECT
    case .script: LATCH_SCRIPT
    case .dispatch: LATCH_DISPATCH
    }
  }
}

/// A function or a string that the VM keeps.
package struct LuaReference: Hashable, Sendable {
  package let number: Int32
  package init(number: Int) { self.number = Int32(truncatingIfNeeded: number) }
  init(_ number: latch_ref) { self.number = number }
}

/// What a gate rule or an invariant said.
package enum RuleAnswer: Equatable {
  case passed
  case refused(reason: String?)
  case nothing
  indirect case raised(ScriptError)
}

/// One Lua VM.
///
/// Confined to one thread at a time: whoever owns it sees to that.
package final class LuaVM {
  let latch: OpaquePointer
  let functions = HostFunctions()
  let memoryLimit: Int
  /// What one value may take outside of Lua, in bytes, that a script gives the host.
  private let mostPerValue: Int
  var cache = Cache()
  var cacheAtImage: Cache?
  /// The cache of the first image, while there is a further one.
  var cacheAtFirstImage: Cache?

  /// What would have to be asked of the VM's inside again.
  struct Cache {
    var preludeFunctions: [String: LuaReference] = [:]
    /// The numbers of the host's functions by their names, those of the library not among them.
    var provided: [String: Int32] = [:]
    var texts: [String: String] = [:]
    /// Of those in which errors were.
    var lineStarts: [String: LineStarts] = [:]
  }

  /// Opens a VM with the sandboxed library.
  ///
  /// One that `isNoted` is opened for a mould. Throws a `memory` error when there is no room for one.
  package convenience init(memoryLimit: Int, isNoted: Bool = false) throws(ScriptError) {
    let open = isNoted ? latch_open_noted : latch_open
    try self.init(memoryLimit >= 0 ? open(memoryLimit) : nil, memoryLimit: memoryLimit)
  }

  /// The error of a VM that could not be opened.
  ///
  /// - Parameter isOtherLua: true if it is the library that does not fit, not the memory.
  package static func openError(memoryLimit: Int, isOtherLua: Bool) -> ScriptError {
    if !isOtherLua {
      return ScriptError(
        kind: .memory, message: "no Lua 5.4 VM could be opened in \(memoryLimit) bytes")
    }
    return ScriptError(
      kind: .runtime,
      message:
        "the Lua library of this process (\(release)) is built in another way than Moonlatch knows: use Lua 5.4 as "
        + "Debian builds it (liblua5.4-0)")
  }

  init(_ latch: OpaquePointer?, memoryLimit: Int) throws(ScriptError) {
    guard let latch else {
      throw LuaVM.openError(memoryLimit: memoryLimit, isOtherLua: latch_is_other_lua())
    }
    self.latch = latch
    self.memoryLimit = memoryLimit
    mostPerValue = memoryLimit > 0 ? memoryLimit : .max
    functions.mostPerValue = mostPerValue
    latch_set_callback(latch, answerHostFunction, Unmanaged.passUnretained(functions).toOpaque())
    functions.latch = latch
  }

  /// Opens a VM under all the limits that are the VM's own to keep.
  package convenience init(limits: Limits, isNoted: Bool = false) throws(ScriptError) {
    try self.init(memoryLimit: limits.memory, isNoted: isNoted)
    latch_set_limits(
      latch,
      latch_limits(
        state: max(0, limits.state), coroutines: Int32(clamping: limits.coroutines),
        nesting: Int32(limits.deepest), milliseconds: limits.milliseconds))
  }

  deinit { latch_close(latch) }

  /// The texts of scripts by the names of their files, to show the lines that an error names.
  package var texts: [String: String] {
    get { cache.texts }
    _modify {
      cache.lineStarts = [:]
      yield &cache.texts
    }
  }

  /// The lines around one of a text, if the text is shown.
  private func lines(around line: Int, of chunk: String) -> [String] {
    if let known = cache.lineStarts[chunk] { return known.around(line) }
    guard let text = cache.texts[chunk] else { return [] }
    let starts = LineStarts(of: text)
    cache.lineStarts[chunk] = starts
    return starts.around(line)
  }

  // MARK: Chunks

  /// Compiles text.
  ///
  /// `trusted` chunks have the prelude's globals, others the script's.
  package func load(_ text: [UInt8], name: String, trusted: Bool = false) throws(ScriptError)
    -> LuaReference
  {
    var function: latch_ref = 0
    let status = text.withUnsafeBufferPointer {
      latch_load(latch, $0.baseAddress, $0.count, name, trusted, &function)
    }
    try check(status)
    return LuaReference(function)
  }

  package func release(_ reference: LuaReference) { latch_release(latch, reference.number) }

  /// A function of the prelude's `host` table.
  package func preludeFunction(_ name: String) throws(ScriptError) -> LuaReference {
    if let reference = cache.preludeFunctions[name] { return reference }
    var function: latch_ref = 0
    try check(latch_prelude_function(latch, name, &function))
    let reference = LuaReference(function)
    cache.preludeFunctions[name] = reference
    return reference
  }

  /// Whether the prelude has a function of that name.
  package func hasPrelude(_ name: String) -> Bool {
    (try? preludeFunction(name)) != nil
  }

  /// How many functions and names of the flow are kept.
  package var kept: Int { Int(latch_kept(latch)) }

  /// Keeps a name of the flow's.
  package func keep(_ text: String) throws(ScriptError) -> LuaReference {
    var text = text
    var reference: latch_ref = 0
    let status = text.withUTF8 { utf8 in
      utf8.withMemoryRebound(to: CChar.self) {
        latch_keep_string(latch, $0.baseAddress, $0.count, &reference)
      }
    }
    try check(status)
    return LuaReference(reference)
  }

  /// Makes `host.name` in the prelude call the closure.
  ///
  /// An error that it throws is raised in Lua with its description as the message. A name that was
  /// provided before calls this closure from now on.
  ///
  /// - Parameter readsByType: The body knows by types whether a table is a map, and asks for `unnamedMaps`.
  package func provide(
    _ name: String, readsByType: Bool = false, _ body: @escaping ([Value]) throws -> [Value]
  ) throws(ScriptError) {
    try provideWaiting(name) { .values(try body($0)) }
    if readsByType, let number = cache.provided[name] { functions.readByType(number) }
  }

  /// The places in the arguments of the host function that was called last of maps that no script calls so.
  ///
  /// Each path begins with the number of the argument, from 1 on.
  package var unnamedMaps: [[ValueKey]] { functions.unnamedMaps }

  /// The same for a closure that may answer later: the effect that called is suspended until
  /// `resume`.
  package func provideWaiting(_ name: String, _ body: @escaping ([Value]) throws -> HostAnswer)
    throws(ScriptError)
  {
    let fixed = latch_host_function(name)
    if let number = fixed >= 0 ? fixed : cache.provided[name] {
      return functions.replace(number, by: body)
    }
    let number = functions.add(body)
    try check(latch_provide(latch, name, number))
    cache.provided[name] = number
  }

  /// Answers all that a flow's library asks, but for what is provided by name.
  package func provideLibrary(
    _ answer: @escaping (LibraryFunction, [Value]) throws -> HostAnswer
  ) {
    functions.library = answer
  }

  /// Has only the functions of these names answer while the body runs, which were provided before.
  ///
  /// Gives whether scripts asked for another one too, which then nobody answered.
  package func answering<Result>(
    only bodies: [String: ([Value]) throws -> [Value]], while body: () throws(ScriptError) -> Result
  ) throws(ScriptError) -> (result: Result, asksForMore: Bool) {
    let numbered = bodies.compactMap { name, body -> (number: Int32, body: HostFunctions.Body)? in
      let fixed = latch_host_function(name)
      guard let number = fixed >= 0 ? fixed : cache.provided[name] else { return nil }
      return (number, { .values(try body($0)) })
    }
    return try functions.answering(only: numbered, while: body)
  }

  // MARK: Calls

  /// What a run is, and how many instructions it may use.
  func run(_ phase: latch_phase, _ budget: Int) -> latch_run {
    latch_run(phase: phase, budget: Int64(budget))
  }

  /// Calls a function and converts its results.
  ///
  /// `budget` 0 uses what the caller has left.
  @discardableResult
  package func call(
    _ function: LuaReference, _ arguments: [Value] = [], phase: Phase, budget: Int
  ) throws(ScriptError) -> [Value] {
    var results = latch_bytes()
    let run = run(phase.latch, budget)
    let status = withBytes(of: arguments) {
      latch_call(latch, function.number, $0, run, &results)
    }
    try check(status)
    return try values(results)
  }

  /// Calls a function that writes to the state from outside a reducer.
  package func callWriter(_ function: LuaReference, _ arguments: [Value], budget: Int)
    throws(ScriptError)
  {
    try check(
      withBytes(of: arguments, writesNone: true) {
        latch_call_writer(latch, function.number, $0, run(LATCH_REDUCER, budget))
      })
  }

  package func callRule(_ function: LuaReference, name: LuaReference?, budget: Int) -> RuleAnswer {
    answer(latch_call_rule(latch, function.number, name?.number ?? 0, run(LATCH_RULE, budget)))
  }

  /// Whether a rule agrees; nil where it says nothing, or raises an error.
  package func askRule(_ function: LuaReference, name: LuaReference?, budget: Int) -> Bool? {
    switch latch_call_rule(latch, function.number, name?.number ?? 0, run(LATCH_RULE, budget)) {
    case LATCH_RULE_PASSED: true
    case LATCH_RULE_REFUSED: false
    default: nil
    }
  }

  /// The reason that the rule which refused last has given, valid until another one is asked; empty for none.
  package var ruleReason: UnsafeRawBufferPointer {
    let reason = latch_rule_reason(latch)
    return UnsafeRawBufferPointer(start: reason.bytes, count: reason.length)
  }

  package func callReducer(_ function: LuaReference, budget: Int) throws(ScriptError) {
    try check(latch_call_reducer(latch, function.number, run(LATCH_REDUCER, budget)))
  }

  /// Calls a function with the state and the payload, for what it works out.
  package func callOnState(_ function: LuaReference, budget: Int) throws(ScriptError) -> [Value] {
    var results = latch_bytes()
    try check(latch_call_on_state(latch, function.number, run(LATCH_RULE, budget), &results))
    return try values(results)
  }

  func answer(_ result: latch_rule_result) -> RuleAnswer {
    switch result {
    case LATCH_RULE_PASSED: return .passed
    case LATCH_RULE_REFUSED:
      let reason = latch_rule_reason(latch)
      return .refused(reason: reason.length == 0 ? nil : text(reason))
    case LATCH_RULE_NOTHING: return .nothing
    default: return .raised(failure())
    }
  }

  /// Makes `{}` the payload that rules and reducers get.
  package func setEmptyPayload() throws(ScriptError) {
    try check(latch_set_payload(latch, nil, 0))
  }

  /// Makes the record the payload that rules and reducers get.
  ///
  /// `limit` is in bytes, encoded.
  ///
  /// Gives the bytes; none for `{}`.
  @discardableResult
  package func setPayload(
    _ payload: Value, limit: Int = .max
  ) throws(ScriptError) -> [UInt8] {
    if case .record(let fields) = payload, fields.isEmpty {
      try setEmptyPayload()
      return []
    }
    var writer = ValueWriter()
    writer.write(payload)
    try setPayload(encoded: writer.bytes, limit: limit)
    return writer.bytes
  }

  /// The same for a record that is encoded already and has a field.
  package func setPayload(encoded bytes: [UInt8], limit: Int) throws(ScriptError) {
    guard bytes.count <= limit else {
      throw ScriptError(
        kind: .limit,
        message: "the payload takes \(bytes.count) bytes, and the limit is \(limit)")
    }
    try check(bytes.withUnsafeBufferPointer { latch_set_payload(latch, $0.baseAddress, $0.count) })
  }

  /// Makes a kept payload the one under way again.
  package func putPayloadBack(_ kept: LuaReference) { latch_put_payload_back(latch, kept.number) }

  /// Keeps the payload under way, as long as another one is.
  package func keepPayload() throws(ScriptError) -> LuaReference {
    var reference: latch_ref = 0
    try check(latch_keep_payload(latch, &reference))
    return LuaReference(reference)
  }

  // MARK: Memory

  /// The instructions that had run when a trace began.
  var tracedFrom = 0
  var tracesContinuations = false

  /// Instructions that everything so far used together.
  package var instructionsUsed: Int { Int(latch_instructions_total(latch)) }

  package var memoryUsed: Int { latch_memory_used(latch) }
  package func collectGarbage() { latch_collect_garbage(latch) }

  // MARK: Failures

  func check(_ status: latch_status) throws(ScriptError) {
    if status != LATCH_OK { throw failure() }
  }

  func values(_ bytes: latch_bytes) throws(ScriptError) -> [Value] {
    let (values, maps) = try valuesAndMaps(bytes)
    if let map = maps.first {
      throw ScriptError(kind: .runtime, message: ListWithHoles(at: map).description)
    }
    return values
  }

  /// The values, and the places of tables in them that are maps or lists with holes, as types may say.
  func valuesAndMaps(
    _ bytes: latch_bytes
  ) throws(ScriptError) -> (values: [Value], unnamedMaps: [[ValueKey]]) {
    var reader = reader(of: bytes, most: mostPerValue)
    do {
      return (try reader.values(), reader.unnamedMaps)
    } catch {
      throw ScriptError(error)
    }
  }

  /// The one value that there is.
  func value(_ bytes: latch_bytes) throws(ScriptError) -> Value {
    var reader = reader(of: bytes, most: .max)
    return try value(&reader)
  }

  /// The same with the bytes that it takes, of which there may be no more than `most`.
  func sizedValue(_ bytes: latch_bytes, most: Int) throws(ScriptError) -> (value: Value, size: Int)
  {
    var reader = reader(of: bytes, most: most)
    return (try value(&reader), reader.size)
  }

  private func reader(of bytes: latch_bytes, most: Int) -> ValueReader {
    ValueReader(UnsafeRawBufferPointer(start: bytes.bytes, count: bytes.length), most: most)
  }

  private func value(_ reader: inout ValueReader) throws(ScriptError) -> Value {
    do {
      return try reader.value()
    } catch {
      throw ScriptError(error)
    }
  }

  func text(_ bytes: latch_bytes) -> String {
    String(
      decoding: UnsafeRawBufferPointer(start: bytes.bytes, count: bytes.length), as: UTF8.self)
  }

  func failure() -> ScriptError {
    let failure = latch_last_failure(latch)
    var error = ScriptError(
      kind: kind(failure.status), message: text(failure.message),
      chunk: failure.chunk.length > 0 ? text(failure.chunk) : nil,
      line: failure.line > 0 ? Int(failure.line) : nil,
      traceback: Traceback.frames(of: text(failure.traceback)),
      isIncomplete: failure.incomplete,
      value: failure.value.length > 0 ? (try? values(failure.value))?.first : nil)
    error.takePlaceFromMessage()
    error.isRaised = failure.is_raised
    if let line = error.line, let chunk = error.chunk {
      error.excerpt = lines(around: line, of: chunk)
    }
    return error
  }

  private func kind(_ status: latch_status) -> ScriptError.Kind {
    switch status {
    case LATCH_SYNTAX: .syntax
    case LATCH_LIMIT: .limit
    case LATCH_MEMORY: .memory
    default: .runtime
    }
  }

  func withBytes(
    of arguments: [Value], writesNone: Bool = false, _ body: (latch_bytes) -> latch_status
  ) -> latch_status {
    if arguments.isEmpty { return body(latch_bytes(bytes: nil, length: 0)) }
    var writer = ValueWriter(writesNone: writesNone)
    for argument in arguments { writer.write(argument) }
    return writer.bytes.withUnsafeBufferPointer {
      body(latch_bytes(bytes: $0.baseAddress, length: $0.count))
    }
  }
}

extension ScriptError {
  fileprivate init(_ malformed: ValueReader.Malformed) {
    self.init(kind: malformed.most == nil ? .runtime : .limit, message: malformed.description)
  }
}

extension LuaVM {
  /// The release of the Lua library that this process runs, such as "5.4.4".
  package static let release = {
    // It says of itself "$LuaVersion: Lua 5.4.4  Copyright ...".
    let words = String(cString: latch_lua_release()).split(separator: " ")
    return words.count > 2 ? String(words[2]) : "5.4"
  }()

  /// Has large blocks of memory given back to the system as soon as they are freed, in the whole process.
  ///
  /// Programs of ours do so at their start; a program that embeds a flow decides for itself.
  package static func giveBackLargeBlocks() { latch_give_back_large_blocks() }

  /// What stops the script that runs, from another thread or from a signal handler.
  ///
  /// The function may be called as long as the VM lives.
  package var interruption:
    (function: @convention(c) (UnsafeMutableRawPointer?) -> Void, context: UnsafeMutableRawPointer)
  {
    ({ latch_interrupt($0.map { OpaquePointer($0) }) }, UnsafeMutableRawPointer(latch))
  }

  /// Lets scripts run again after an interruption.
  package func clearInterruption() { latch_clear_interrupt(latch) }
}
