import FlowKernel
import Foundation
import HostFiles
import LuaRuntime
import Platform

@testable import MoonlatchCLI

/// A session without a terminal: its inputs and its output.
final class Prompt {
  /// The output of the session.
  private final class RecordedLines: Sendable {
    private let kept = Mutex<[String]>([])
    func add(_ line: String) { kept.withLock { $0.append(line) } }
    func take() -> [String] {
      kept.withLock { lines in
        defer { lines = [] }
        return lines
      }
    }
  }

  let session: Session
  let folder: TemporaryFolder
  private let told = RecordedLines()

  /// - Parameter hostFile: the host file of a session with `--live`, without a client; nil for another session.
  init(_ flow: String?, file: String = "flow.lua", hostFile: String? = nil) throws {
    folder = try TemporaryFolder()
    if let flow { try folder.write(flow, to: file) }
    let told = told
    var options = Session.Options()
    if let hostFile {
      try folder.write(hostFile, to: "flow.host.lua")
      let loaded = try LoadedFlow(folder.url.appending(path: file), limits: Limits())
      let read = try HostFile(folder.url.appending(path: "flow.host.lua"))
      options.capabilities = try read.capabilities(for: loaded.flow, sender: nil)
      options.capabilities.live = LiveTasks(hasWorkers: true)
    }
    session = try Session(
      flow: flow == nil ? nil : folder.url.appending(path: file),
      name: flow == nil ? "flow.lua" : folder.url.appending(path: file).path, options: options,
      output: { told.add($0) })
  }

  /// Everything that an input has to tell, an error after `error: `; the folder's path is left out.
  @discardableResult
  func type(_ text: String) -> String {
    let answer = session.evaluate(text.replacing("~/", with: folder.url.path + "/"))
    var lines = told.take()
    switch answer {
    case .incomplete: lines.append("incomplete")
    case .value(let value): if !value.isEmpty { lines.append(value) }
    case .error(let message): lines.append("error: " + message)
    case .leave: lines.append("leave")
    }
    return lines.joined(separator: "\n").replacing(folder.url.path + "/", with: "")
  }

  /// A session of the workshop in which something passed, was refused, failed and came later.
  static func played() throws -> Prompt {
    let prompt = try Prompt(workshop)
    prompt.type(":stub root.fetch function(url) sleep(1) return url end")
    prompt.type("add { name = \"early\" }")
    prompt.type("log_in { id = \"u\" }")
    prompt.type("add { name = \"a\" }")
    prompt.type("add { count = 0 }")
    prompt.type("load { url = \"x\" }")
    prompt.type("load { url = \"y\" }")
    prompt.type(":advance 1s")
    prompt.type("open()")
    return prompt
  }
}

/// A flow with one of every element.
let workshop = """
  state { jobs = list {}, user = none, total = 0, note = "" }
  action.log_in { id = string { min_length = 1 } }
  action.log_out {}
  action.load { url = string }
  action.loaded {}
  action.open {}
  action.close {}
  action.add { name = string, count = integer { min = 1, default = 2 } }
  machine.door {
    initial = "closed",
    closed = { open = { to = "opened", when = function(s) return s.user ~= nil, "log in first" end } },
    opened = { close = "closed", after = { close = 30 } },
  }
  gatekeeper.loading { load = "attempt", loaded = "reset" }
  scope.user {
    key = function(s) return s.user end,
    actions = { "log_out", "add" },
  }
  function reduce.log_in(s, a) s.user = a.id end
  function reduce.log_out(s) s.user = nil end
  function reduce.add(s, a)
    s.jobs[#s.jobs + 1] = { name = a.name, count = a.count }
    s.total = s.total + a.count
  end
  function gate.add(s, a)
    return s.total + a.count <= 10, "too many"
  end
  gate("not while loading", { "add", "log_out" }, function()
    return gatekeeper.loading:may_pass(), "loading"
  end)
  function view.total(s) return s.total end
  function effect.load(self, a)
    local text = self:fetch(a.url)
    print("got " .. text)
    dispatch.loaded()
  end
  """
