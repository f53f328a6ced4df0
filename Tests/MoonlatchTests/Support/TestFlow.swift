import FlowHosting
import FlowKernel
import FlowLanguage
import Foundation
import LuaRuntime
import Testing

/// A flow with one reducer, `go`, over a state that has values of every kind.
func going(_ reducer: String, state: String = everything, more: String = "") -> String {
  """
  \(state)
  action.go {}
  \(more)
  function reduce.go(s, a)
  \(reducer)
  end
  """
}

let everything = """
  state {
    n = 1, x = 1.5, name = "a", flag = true, note = none,
    user = { name = "u", address = { street = "s", number = none }, tags = list {} },
    rows = { { id = 1 }, { id = 2 }, { id = 3 } },
    numbers = list { 10, 20, 30 },
    empty = list {},
    open = map { a = { b = 1 } },
    byNumber = map { [5] = "five" },
  }
  """

extension FlowHost {
  /// Dispatches and gives what failed, or records that nothing did.
  @discardableResult
  func failure(
    of action: String = "go", _ payload: Value = [:],
    _ location: SourceLocation = #_sourceLocation
  ) throws -> DispatchFailure? {
    let outcome = try dispatch(action, payload)
    if case .failed(let failure) = outcome { return failure }
    Issue.record("\(action) did not fail: \(outcome)", sourceLocation: location)
    return nil
  }

  /// Dispatches and gives the transition, or records that none was made.
  @discardableResult
  func passing(
    _ action: String = "go", _ payload: Value = [:],
    _ location: SourceLocation = #_sourceLocation
  ) throws -> Commit? {
    let outcome = try dispatch(action, payload)
    if case .passed(let commit) = outcome { return commit }
    Issue.record("\(action) did not pass: \(outcome)", sourceLocation: location)
    return nil
  }
}

/// The faults of a flow, one a line, as they are printed.
func faults(of source: String) -> [String] {
  do {
    _ = try FlowHost(source: source)
    return []
  } catch let error as FlowError {
    return error.faults.map(\.description)
  } catch {
    return ["\(error)"]
  }
}

/// A temporary folder of one test, removed at the end.
final class TestFolder: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "moonlatch-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  @discardableResult
  func write(_ text: String, to path: String) throws -> URL { try write(Data(text.utf8), to: path) }

  @discardableResult
  func write(_ data: Data, to path: String) throws -> URL {
    let file = url.appending(path: path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try data.write(to: file)
    return file
  }
}

extension FlowHost {
  /// Subscribes for as long as the host lives.
  func watch(
    _ view: String, _ handler: @escaping @Sendable (Result<Value, ViewError>) -> Void
  ) throws {
    try subscribe(view, owner: self) { _, value in handler(value) }
  }
}

/// Compares pending work with sentences.
func == (items: [PendingWork], sentences: [String]) -> Bool {
  items.map(\.description) == sentences
}

/// Compares a refuser with a sentence.
func == (refuser: Refusal.Refuser?, sentence: String?) -> Bool { refuser?.description == sentence }
