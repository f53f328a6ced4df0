import CLatch

/// The kind of code that a call runs, which decides if the state may be written.
package enum Phase {
  case loading, rule, reducer, view, invariant, effect, script
  /// A piece of work that may contain runs of all other kinds.
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

/// A reference to a Lua function or string that the VM holds for the host.
package struct LuaReference: Hashable, Sendable {
  package let number: Int32
  package init(number: Int) { self.number = Int32(truncatingIfNeeded: number) }
  init(_ number: latch_ref) { self.number = number }
}

/// The answer of a gate rule or an invariant.
package enum RuleAnswer: Equatable {
  case passed
  case refused(reason: String?)
  case nothing
  indirect case raised(ScriptError)
}

/// A Lua VM.
///
/// It may be used by only one thread at a time. The owner must ensure this.
package final class LuaVM {
  let latch: OpaquePointer
  let functions = HostFunctions()
  let memoryLimit: Int
  /// The most bytes that one value from a script may take outside of Lua.
  private let mostPerValue: Int
  var cache = Cache()
  var cacheAtImage: Cache?
  /// The cache at the first image, set only while there is a further image.
  var cacheAtFirstImage: Cache?

  /// Values that would otherwise have to be read from the VM again.
  struct Cache {
    var preludeFunctions: [String: LuaReference] = [:]
    /// The numbers of the provided host functions by name, without those of the library.
    var provided: [String: Int32] = [:]
    var texts: [String: String] = [:]
    /// The line starts of the texts in which errors have occurred.
    var lineStarts: [String: LineStarts] = [:]
  }

  /// Opens a VM with the sandboxed library.
  ///
  /// - Parameter isNoted: true if a template is to be made of the VM. It then records its allocations.
  /// - Throws: a `memory` error if there is not enough memory.
  package convenience init(memoryLimit: Int, isNoted: Bool = false) throws(ScriptError) {
    let open = isNoted ? latch_open_noted : latch_open
    try self.init(memoryLimit >= 0 ? open(memoryLimit) : nil, memoryLimit: memoryLimit)
  }

  /// Returns the error for a VM that could not be opened.
  ///
  /// - Parameter isOtherLua: true if the Lua library is the wrong one; false if memory ran out.
  package static func openError(memoryLimit: Int, isOtherLua: Bool) -> ScriptError {
    if !isOtherLua {
      return ScriptError(
        kind: .memory, message: "no Lua 5.4 VM could be opened in \(memoryLimit) bytes")
    }
    return ScriptError(
      kind: .runtime,
      message:
        "Moonlatch cannot use the Lua library of this process (\(release)), which is built differently: "
        + "use Lua 5.4 as Debian builds it (liblua5.4-0)")
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

  /// Opens a VM and sets all limits that the VM itself enforces.
  package convenience init(limits: Limits, isNoted: Bool = false) throws(ScriptError) {
    try self.init(memoryLimit: limits.memory, isNoted: isNoted)
    latch_set_limits(
      latch,
      latch_limits(
        state: max(0, limits.state), coroutines: Int32(clamping: limits.coroutines),
        nesting: Int32(limits.deepest), milliseconds: limits.milliseconds))
  }

  deinit { latch_close(latch) }

  /// The source texts by the names of their files, from which errors show lines.
  package var texts: [String: String] {
    get { cache.texts }
    _modify {
      cache.lineStarts = [:]
      yield &cache.texts
    }
  }

  /// Returns the lines around a line of a chunk; empty if the chunk's text is not shown.
  private func lines(around line: Int, of chunk: String) -> [String] {
    if let known = cache.lineStarts[chunk] { return known.around(line) }
    guard let text = cache.texts[chunk] else { return [] }
    let starts = LineStarts(of: text)
    cache.lineStarts[chunk] = starts
    return starts.around(line)
  }

  // MARK: Chunks

  /// Compiles a text.
  ///
  /// A `trusted` chunk has the globals of the prelude, any other those of the script.
  package func load(_ text: [UInt8], name: String, trusted: Bool = false) throws(ScriptError)
    -> LuaReference
  {
    var function: latch_ref = 0
    let status = text.withUnsafeBufferPointer {
      latch_load(latch, $0.baseAddress, $0.count, name, trusted, &function)
    }
    if status == LATCH_SYNTAX { throw syntaxError(in: text) }
    try check(status)
    return LuaReference(function)
  }

  /// Returns the syntax error of a text, with advice if the text has the syntax of another language there.
  private func syntaxError(in text: [UInt8]) -> ScriptError {
    var error = failure()
    guard let line = error.line,
      let advice = ForeignSyntax.advice(
        for: error.message, line: line, in: String(decoding: text, as: UTF8.self))
    else { return error }
    error.message += "; \(advice)"
    return error
  }

  package func release(_ reference: LuaReference) { latch_release(latch, reference.number) }

  /// Returns a function of the prelude's `host` table.
  package func preludeFunction(_ name: String) throws(ScriptError) -> LuaReference {
    if let reference = cache.preludeFunctions[name] { return reference }
    var function: latch_ref = 0
    try check(latch_prelude_function(latch, name, &function))
    let reference = LuaReference(function)
    cache.preludeFunctions[name] = reference
    return reference
  }

  /// Returns true if the prelude has a function of that name.
  package func hasPrelude(_ name: String) -> Bool {
    (try? preludeFunction(name)) != nil
  }

  /// The number of functions and names of the flow that the VM holds for the host.
  package var kept: Int { Int(latch_kept(latch)) }

  /// Stores a name of the flow in the VM, and returns a reference to it.
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
  /// An error that the closure throws is raised in Lua, with its description as the message. The closure replaces
  /// any that was provided under the same name.
  ///
  /// - Parameter readsByType: true if the closure uses types to decide if a table is a map, and reads
  ///   `unnamedMaps`.
  package func provide(
    _ name: String, readsByType: Bool = false, _ body: @escaping ([Value]) throws -> [Value]
  ) throws(ScriptError) {
    try provideWaiting(name) { .values(try body($0)) }
    if readsByType, let number = cache.provided[name] { functions.readByType(number) }
  }

  /// The paths, in the arguments of the latest host call, to maps that the script did not mark as maps.
  ///
  /// Each path begins with the number of its argument, counted from 1.
  package var unnamedMaps: [[ValueKey]] { functions.unnamedMaps }

  /// Makes `host.name` in the prelude call a closure that may answer later.
  ///
  /// If it returns `.wait`, the calling effect is suspended until `resume`.
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

  /// Sets the closure that answers all calls of a flow's library, except those provided by name.
  package func provideLibrary(
    _ answer: @escaping (LibraryFunction, [Value]) throws -> HostAnswer
  ) {
    functions.library = answer
  }

  /// Runs a body while only the functions of these names answer.
  ///
  /// Names that were not provided before are ignored. Any other call of the host fails; `asksForMore` is true if a
  /// script made such a call.
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

  /// Returns the phase and the instruction budget of a run, as C takes them.
  func run(_ phase: latch_phase, _ budget: Int) -> latch_run {
    latch_run(phase: phase, budget: Int64(budget))
  }

  /// Calls a function and returns its converted results.
  ///
  /// A `budget` of 0 uses what remains of the caller's.
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

  /// Returns true if a rule passes, false if it refuses, and nil if it returns nothing or raises an error.
  package func askRule(_ function: LuaReference, name: LuaReference?, budget: Int) -> Bool? {
    switch latch_call_rule(latch, function.number, name?.number ?? 0, run(LATCH_RULE, budget)) {
    case LATCH_RULE_PASSED: true
    case LATCH_RULE_REFUSED: false
    default: nil
    }
  }

  /// The reason that the last refusing rule returned; empty if it returned none.
  ///
  /// It is valid until the next rule is called.
  package var ruleReason: UnsafeRawBufferPointer {
    let reason = latch_rule_reason(latch)
    return UnsafeRawBufferPointer(start: reason.bytes, count: reason.length)
  }

  package func callReducer(_ function: LuaReference, budget: Int) throws(ScriptError) {
    try check(latch_call_reducer(latch, function.number, run(LATCH_REDUCER, budget)))
  }

  /// Calls a function with the state and the payload, and returns its results.
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

  /// Declares the fields of payloads, once while the flow loads.
  ///
  /// - Parameters:
  ///   - shapes: the shapes, numbered from 1, as `latch_declare_payloads` describes them.
  ///   - readers: pairs of the number of a function and the number of the shape of the fields that it may read.
  package func declarePayloads(_ shapes: [Value], readers: [Int32]) throws(ScriptError) {
    var writer = ValueWriter()
    writer.write(.list(shapes))
    let status = writer.bytes.withUnsafeBufferPointer { bytes in
      readers.withUnsafeBufferPointer {
        latch_declare_payloads(latch, bytes.baseAddress, bytes.count, $0.baseAddress, $0.count)
      }
    }
    try check(status)
  }

  /// Makes `{}` the payload for rules and reducers.
  package func setEmptyPayload(_ shape: PayloadShape = .open) throws(ScriptError) {
    try check(latch_set_payload(latch, nil, 0, shape.number))
  }

  /// Makes a record the payload for rules and reducers, and returns its encoded bytes; none for `{}`.
  ///
  /// - Parameters:
  ///   - shape: the fields that the payload can have.
  ///   - limit: the most bytes that the encoded payload may take.
  /// - Throws: a `limit` error if it takes more.
  @discardableResult
  package func setPayload(
    _ payload: Value, shape: PayloadShape, limit: Int = .max
  ) throws(ScriptError) -> [UInt8] {
    if case .record(let fields) = payload, fields.isEmpty {
      try setEmptyPayload(shape)
      return []
    }
    var writer = ValueWriter()
    writer.write(payload)
    try setPayload(encoded: writer.bytes, shape: shape, limit: limit)
    return writer.bytes
  }

  /// Makes an encoded record with at least one field the payload.
  ///
  /// - Throws: a `limit` error if it takes more than `limit` bytes.
  package func setPayload(
    encoded bytes: [UInt8], shape: PayloadShape, limit: Int
  ) throws(ScriptError) {
    guard bytes.count <= limit else {
      throw ScriptError(
        kind: .limit,
        message: "the payload takes \(bytes.count) bytes, and the limit is \(limit)")
    }
    try check(
      bytes.withUnsafeBufferPointer {
        latch_set_payload(latch, $0.baseAddress, $0.count, shape.number)
      })
  }

  /// Makes a stored payload current again, and releases the reference.
  package func putPayloadBack(_ kept: LuaReference) { latch_put_payload_back(latch, kept.number) }

  /// Stores the current payload while another one is current.
  package func keepPayload() throws(ScriptError) -> LuaReference {
    var reference: latch_ref = 0
    try check(latch_keep_payload(latch, &reference))
    return LuaReference(reference)
  }

  // MARK: Memory

  /// The instruction count at which the trace began.
  var tracedFrom = 0
  var tracesContinuations = false

  /// The number of instructions that all runs so far have used.
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

  /// Returns the values, and the paths to tables that are maps or lists with holes, depending on their types.
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

  /// Returns the single value in the bytes.
  func value(_ bytes: latch_bytes) throws(ScriptError) -> Value {
    var reader = reader(of: bytes, most: .max)
    return try value(&reader)
  }

  /// Returns the single value in the bytes, and the number of bytes that it takes outside of Lua.
  ///
  /// - Throws: a `limit` error if it takes more than `most` bytes.
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
  /// The release of the Lua library that this process uses, such as "5.4.4".
  package static let release = {
    // It says of itself "$LuaVersion: Lua 5.4.4  Copyright ...".
    let words = String(cString: latch_lua_release()).split(separator: " ")
    return words.count > 2 ? String(words[2]) : "5.4"
  }()

  /// Makes the whole process return large blocks of memory to the system as soon as they are freed.
  ///
  /// Our own programs call this at start. A program that embeds a flow decides for itself.
  package static func giveBackLargeBlocks() { latch_give_back_large_blocks() }

  /// A C function, with its context, that stops the running script.
  ///
  /// It may be called from another thread or a signal handler, as long as the VM lives.
  package var interruption:
    (function: @convention(c) (UnsafeMutableRawPointer?) -> Void, context: UnsafeMutableRawPointer)
  {
    ({ latch_interrupt($0.map { OpaquePointer($0) }) }, UnsafeMutableRawPointer(latch))
  }

  /// Lets scripts run again after an interruption, with their time limit reset.
  package func clearInterruption() { latch_clear_interrupt(latch) }
}
