import CSQLite
import FlowHosting
import FlowKernel
import JournalRows
import LuaRuntime
import Testing

@testable import FlowJournal

/// Rows of tasks that another program has changed.
@Suite struct SQLTaskRowsTests {
  private let folder = Folder()

  /// Makes a journal with one task, which has an answer, and changes its row as any program could.
  private func changed(_ assignment: String) throws -> SQLiteJournal {
    let task = OpenTask(
      call: "j/a/e1/1", tryNumber: 1, effect: 1, position: "1", scope: "root", name: "mail",
      arguments: ["text": "hello"], kind: .worker, queue: "mail", isOnce: false, opened: 1_000_000,
      deadline: nil)
    let made = try SQLiteJournal(file: folder.file(), durability: .process)
    _ = try made.keep(JournaledFlow.trial)
    #expect(made.add([.tasks(1, opens: [task])], to: "a") == nil)
    _ = try made.withTasks(at: 2_000_000) { (table) throws(JournalError) in
      try table.answer(call: "j/a/e1/1", with: .answer(["id": "r-1"]))
    }
    try made.close()
    var database: OpaquePointer?
    #expect(sqlite3_open(folder.file().path, &database) == SQLITE_OK)
    let code = sqlite3_exec(database, "UPDATE task SET \(assignment)", nil, nil, nil)
    #expect(code == SQLITE_OK, "\(String(cString: sqlite3_errmsg(database)))")
    sqlite3_close(database)
    return try SQLiteJournal(file: folder.file(), durability: .process)
  }

  @Test(
    "a row that is not as it was written is an error, which names the task",
    arguments: [
      "life = 'b'", "effect = 2", "position = '2'", "call = 'j/a/e2/1'", "scope = 'user'",
      "key = x'00ff'",
      "name = 'charge'", "kind = 99", "once = 1", "arguments = x'00ff'", "opened_us = 0",
      "deadline_us = 5", "state = 99", "try = 2", "answer = x'00ff'",
      "sum = sum + 1",
    ])
  func damage(assignment: String) throws {
    let journal = try changed(assignment)
    let error = journalError { () throws(JournalError) in
      _ = try journal.readingTasks { (rows) throws(JournalError) in try rows.row(1) }
    }
    #expect(error?.kind == .damaged, "\(assignment)")
    #expect(
      error?.description.contains("task 1 is not what was written") == true,
      "\(error.debugDescription)")
    try journal.close()
  }

  @Test("a journal that is open for reading has the tasks, and changes none")
  func reading() throws {
    let journal = try changed("attempt = 7")
    let reading = ReadOnlyJournal(try JournalReader(file: folder.file()))
    let rows = try reading.readingTasks { (rows) throws(JournalError) in
      try rows.list(TaskQuery())
    }
    #expect(rows.map(\.attempt) == [7] && rows.map(\.state) == [.answered])
    #expect(!((reading as any Journal) is any TaskStore))
    try journal.close()
  }

  @Test("the columns that workers change are not part of a row's checksum")
  func changes() throws {
    let journal = try changed("queue = 'other', kind = 0, state = 4, attempt = 7, lost = 3")
    let row = try journal.readingTasks { (rows) throws(JournalError) in try rows.row(1) }
    #expect(row?.task.queue == "other" && row?.state == .dead && row?.attempt == 7)
    try journal.close()
  }
}
