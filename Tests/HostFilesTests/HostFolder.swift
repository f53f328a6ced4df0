import FlowKernel
import FlowLanguage
import Foundation
import HostFiles
import LuaRuntime

/// A folder with host files, which goes with its test.
final class HostFolder {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  @discardableResult
  func write(_ text: String, to name: String = "order.host.lua") throws -> URL {
    let file = url.appending(path: name)
    try Data(text.utf8).write(to: file)
    return file
  }

  func load(
    _ text: String, limits: Limits = Limits(), reading source: HostTexts.Source = .variables([:])
  ) throws -> HostFile {
    try HostFile(write(text), limits: limits, reading: source)
  }

  /// Returns the faults of a host file, as they are printed.
  func faults(
    of text: String, limits: Limits = Limits(), reading source: HostTexts.Source = .variables([:])
  ) throws -> [String] {
    let file = try write(text)
    do {
      _ = try HostFile(file, limits: limits, reading: source)
      return []
    } catch let error as FlowError {
      return error.faults.map(\.description)
    }
  }
}

/// Returns the arguments that a call opens its task with, or the text of its error.
func arguments(of values: [Value], _ task: TaskCapability) -> (Value?, error: String) {
  do {
    return (try task.arguments(values), "")
  } catch {
    return (nil, "\(error)")
  }
}
