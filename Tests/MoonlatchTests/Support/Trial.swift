import FlowHosting
import FlowKernel
import LuaRuntime
import Platform

/// A host on a virtual clock, with what its scripts printed and what it reported.
struct Trial: Sendable {
  /// Collects lines from anywhere.
  final class Lines: Sendable {
    private let lines = Mutex<[String]>([])
    func add(_ line: String) { lines.withLock { $0.append(line) } }
    var all: [String] { lines.withLock { $0 } }
    func take() -> [String] {
      lines.withLock { lines in
        defer { lines = [] }
        return lines
      }
    }
  }

  let host: FlowHost
  let printed = Lines()
  let reports = Lines()

  init(
    _ source: String, name: String = "flow.lua", limits: Limits = Limits(), seed: UInt64 = 0,
    keepsTranscript: Bool = false, scopes: (inout HostScopes) -> Void = { _ in }
  ) throws {
    let (printed, reports) = (printed, reports)
    host = try FlowHost(
      source: source, name: name,
      options: HostOptions(
        limits: limits, clock: .virtual, seed: seed, keepsTranscript: keepsTranscript,
        print: { printed.add($0) }, report: { reports.add("\($0)") }), scopes: scopes)
  }

  /// Dispatches and gives the first line of the outcome.
  @discardableResult
  func play(_ action: String, _ payload: Value = [:]) throws -> String {
    let text = try host.dispatch(action, payload).description
    return String(text.prefix { $0 != "\n" })
  }

  func advance(_ seconds: Double) throws { try host.advance(seconds) }

  /// Does something, and waits until a view has another value.
  func waiting(for view: String, _ body: () throws -> Void) async throws {
    let (changes, continuation) = AsyncStream.makeStream(of: Void.self)
    let subscription = try host.subscribe(view) { _ in continuation.yield() }
    var heard = changes.makeAsyncIterator()
    await heard.next()  // the value that it has
    try body()
    await heard.next()
    subscription.cancel()
  }

  /// A field of the state; nil where it has no value.
  func state(_ field: String) throws -> Value { try host.state()[field] ?? .nil }

  /// The first lines of what was reported since this was last asked.
  func told() -> [String] { reports.take().map { String($0.prefix { $0 != "\n" }) } }
}
