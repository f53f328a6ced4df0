import Bench
import Foundation

/// An event log in CSV without quoted cells, whose cases can be repeated under new names, as they are or each with
/// resources of its own.
struct Log {
  private static let (caseColumn, resourceColumn) = ("case:concept:name", "org:resource")

  /// A line of the log, split at its case and at its resource.
  private struct Row {
    let before: Substring
    let name: Substring
    let between: Substring
    let resource: Substring
    let after: Substring
  }

  private let header: String
  private let rows: [Row]

  /// How many events it has.
  var count: Int { rows.count }

  init(text: String) throws {
    var lines = text.split(whereSeparator: \.isNewline)
    try WrongResult.unless(lines.count > 1, "the log has no rows")
    try WrongResult.unless(
      !text.utf8.contains(UInt8(ascii: "\"")), "the log has quoted cells, which is not foreseen")
    header = String(lines.removeFirst())
    let columns = header.split(separator: ",")
    guard let column = columns.firstIndex(where: { $0 == Log.caseColumn }),
      let resourceColumn = columns.firstIndex(where: { $0 == Log.resourceColumn }),
      column < resourceColumn
    else {
      throw WrongResult("the log has no column \(Log.caseColumn) before one \(Log.resourceColumn)")
    }
    rows = try lines.map { line in
      let cells = line.split(separator: ",", omittingEmptySubsequences: false)
      guard cells.count > resourceColumn else { throw WrongResult("a row is short: \(line)") }
      let (name, resource) = (cells[column], cells[resourceColumn])
      return Row(
        before: line[..<name.startIndex], name: name,
        between: line[name.endIndex..<resource.startIndex], resource: resource,
        after: line[resource.endIndex...])
    }
  }

  /// A log of the receipt's shape: as many cases and events, as long rows, and as many cases that are
  /// like no other in what the flow is told of them (480; the receipt has 491).
  static func made() throws -> Log {
    let transitions = [
      ["Confirmation of receipt"],
      [
        "Confirmation of receipt", "T02 Check confirmation of receipt",
        "T04 Determine confirmation of receipt", "T05 Print and send confirmation of receipt",
        "T06 Determine necessity of stop advice", "T10 Determine necessity to stop indication",
      ],
      [
        "Confirmation of receipt", "T06 Determine necessity of stop advice",
        "T10 Determine necessity to stop indication", "T02 Check confirmation of receipt",
        "T04 Determine confirmation of receipt", "T05 Print and send confirmation of receipt",
        "T07-1 Draft intern advice aspect 1", "T08 Draft and send request for advice",
      ],
    ]
    var text = """
      case:channel,case:concept:name,case:deadline,case:department,case:enddate,\
      case:enddate_planned,case:group,case:responsible,case:startdate,concept:instance,\
      concept:name,lifecycle:transition,org:group,org:resource,time:timestamp

      """
    var event = 0
    for number in 0..<1_434 {
      let end = "2011-12-06 13:41:31.788000+01:00"
      let begin = "2011-10-11 13:42:22.688000+02:00"
      // One short way in eight: six events a case, as in the receipt.
      let transition = transitions[number % 8 == 0 ? 0 : 1 + number % 2]
      for (step, action) in transition.enumerated() {
        event += 1
        text += "Internet,case-\(10_000 + number),\(end),General,,\(end),Group 2,Resource21,"
        text += "\(begin),task-\(40_000 + event),\(action),complete,Group \(1 + step % 4),"
        text += "Resource\((number % 480 + 7 * step * (number % 480 / 48)) % 48),"
        text += "2011-10-\(11 + step) 13:45:40.276000+02:00\n"
      }
    }
    return try Log(text: text)
  }

  /// Writes it so often that it has that many events; every time the cases have new names.
  ///
  /// - Parameter isDifferent: true if each case has resources of its own, so that no two are alike in what the flow
  ///   is told of them.
  func write(to file: URL, events: Int, isDifferent: Bool = false) throws {
    try Data((header + "\n").utf8).write(to: file)
    let handle = try FileHandle(forWritingTo: file)
    try handle.seekToEnd()
    var left = events
    var round = 0
    while left > 0 {
      var block = ""
      for row in rows.prefix(left) {
        let resource = isDifferent ? "\(row.resource)-\(row.name)-\(round)" : "\(row.resource)"
        block += "\(row.before)\(row.name)-\(round)\(row.between)\(resource)\(row.after)\n"
      }
      try handle.write(contentsOf: Data(block.utf8))
      left -= min(left, rows.count)
      round += 1
    }
    try handle.close()
  }
}
