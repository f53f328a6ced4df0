import Foundation

/// Journals as programs leave them: of several flows, while a server writes them, after it, compacted, and with a case
/// that was erased.
///
/// They are made once, and used as long as they are there: the same seed then does the same to the same bytes.
struct Journals {
  struct Journal {
    let name: String
    let flow: String
    /// The path of its file; what lies beside it has longer names.
    let path: String
  }

  static let cases = ["a", "b", "c", "d"]
  static let ends = ["", "-wal", "-mark"]
  let all: [Journal]

  struct Failure: Error, CustomStringConvertible { let description: String }

  init(_ programs: Programs, flows: [String], in folder: String) throws {
    var all: [Journal] = []
    for (index, flow) in flows.enumerated() {
      let folder = "\(folder)/\(index)"
      let names = ["written", "closed", "compacted", "erased"]
      let isThere = names.allSatisfy { FileManager.default.fileExists(atPath: "\(folder)/\($0)") }
      if !isThere { try Journals.make(programs, flow, Folder(folder)) }
      all += names.map { Journal(name: "\(index)-\($0)", flow: flow, path: "\(folder)/\($0)") }
    }
    self.all = all
  }

  private static func make(_ programs: Programs, _ flow: String, _ folder: Folder) throws {
    folder.copy(flow, to: "flow.lua")
    let notes = Folder(folder.file("notes"))
    guard
      let server = CaseServer(
        programs.serve, flow: "flow.lua", journal: "journal", in: folder.path, notes: notes.path),
      server.isServing(within: 60)
    else { throw Failure(description: "no journal could be made: \(notes.path)") }
    let isTypes = flow.hasSuffix("types.lua")
    for id in cases { server.ask("POST", "/cases/\(id)") }
    for number in 0..<120 {
      let id = cases[number % 3]
      let text = String(repeating: "x", count: number % 7 == 0 ? 4_000 : number)
      let (action, body) =
        isTypes
        ? [("nothing", "{}"), ("numbers", "{\"whole\":1,\"small\":1,\"real\":1.5,\"half\":0.5}"),
          ("maps", "{\"named\":{\"\(text)\":1},\"numbered\":{},\"worded\":{}}")][number % 3]
        : [("write", "{\"text\":\"\(text)\"}"), ("wait", "{\"seconds\":\(number)}"), ("pay", "{}"), ("clear", "{}")][
          number / 3 % 4]
      let key = number % 2 == 0 ? "\"key-\(number)\"" : nil
      let answer = server.ask("POST", "/cases/\(id)/actions/\(action)", body, key: key)
      if !answer.hasPrefix("HTTP/1.1 ") || answer.hasPrefix("HTTP/1.1 404") {
        throw Failure(description: "the server answers \(answer)")
      }
    }
    server.ask("POST", "/cases/d/actions/\(isTypes ? "nothing" : "clear")", "{}")
    server.ask("POST", "/cases/c/end")
    usleep(300_000)
    for end in ends { folder.copy(folder.file("journal" + end), to: "written" + end) }
    server.child.signal(SIGTERM)
    let ended = server.child.end(within: 20)
    if ended.code != 0 { throw Failure(description: "the server exits with \(ended.code)") }
    for (name, command) in [
      ("compacted", ["compact", "--keep", "1ms"]), ("erased", ["erase", "--case", "a"]),
      ("closed", ["verify"]),
    ] {
      for end in ends { folder.copy(folder.file("journal" + end), to: name + end) }
      let words = ["journal", command[0], name] + command.dropFirst()
      let end = Child(programs.moonlatch, words, in: folder.path, notes: notes.path)?.end(within: 60)
      if end?.code != 0 {
        throw Failure(description: "\(words) exits with \(end?.code ?? -1): \(end?.errors ?? "")")
      }
    }
  }
}

/// The programs that are misused.
struct Programs {
  let moonlatch: String
  let serve: String
}
