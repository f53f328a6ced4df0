import LuaRuntime
import Moonlatch

/// The cases as a page lists them: those first that are stuck.
///
/// A case is stuck where it could not be woken for what is due, where something has been due for longer than a minute,
/// or where nothing has happened for a day and nothing is to come by itself, though it has not ended.
struct CaseList {
  private let subject: any Inspected
  private let now: Int

  /// In microseconds.
  static let late = 60_000_000
  static let quiet = 86_400_000_000
  private static let most = 200

  init(_ subject: any Inspected, now: Int) { (self.subject, self.now) = (subject, now) }

  /// Those that are stuck, and then a page of all, or of those of which a machine is in a state.
  func data(
    _ place: (machine: String, state: String)?, after id: String?, limit: Int, search: String?
  ) async throws -> Value {
    if let search, !search.isEmpty { return try await found(search, limit) }
    let page = try await subject.list(place, after: id, limit: limit)
    var stuck: [(summary: CaseSummary, why: String, rank: Int)] = []
    if id == nil {
      let (due, troubled) = try await subject.overdue(
        since: now - CaseList.late, limit: CaseList.most)
      for each in troubled.sorted().prefix(CaseList.most) {
        if let summary = try await subject.summary(of: each) {
          stuck.append((summary, "could not be woken", 0))
        }
      }
      for each in due where !troubled.contains(each) {
        if let summary = try await subject.summary(of: each), summary.ended == nil {
          stuck.append((summary, "overdue for \(time(since: summary.due))", 1))
        }
      }
      var known = Set(stuck.map(\.summary.id))
      for each in page where !known.contains(each.id) && each.ended == nil {
        guard let due = each.due, now - due > CaseList.late else { continue }
        stuck.append((each, "overdue for \(time(since: due))", 1))
        known.insert(each.id)
      }
      for each in page
      where !known.contains(each.id) && each.ended == nil && each.due == nil
        && now - each.wall > CaseList.quiet
      {
        stuck.append((each, "nothing for \(time(since: each.wall))", 2))
      }
      stuck.sort { ($0.rank, $0.summary.wall) < ($1.rank, $1.summary.wall) }
    }
    return [
      "stuck": .list(
        stuck.map { each in
          guard case .record(var fields) = row(each.summary) else { return .nil }
          fields["why"] = .string(each.why)
          return .record(fields)
        }),
      "cases": .list(page.map(row)), "more": .boolean(page.count == limit),
    ]
  }

  /// Those of which the id has a text in it: of the first ones, when there are many.
  private func found(_ search: String, _ limit: Int) async throws -> Value {
    var found: [CaseSummary] = []
    var after: String?
    // So that one search does not go through millions.
    for _ in 0..<100 where found.count < limit {
      let page = try await subject.list(nil, after: after, limit: 1_000)
      found += page.filter { $0.id.lowercased().contains(search.lowercased()) }
      after = page.last?.id
      if page.count < 1_000 { break }
    }
    return [
      "stuck": .list([]), "cases": .list(found.prefix(limit).map(row)),
      "more": .boolean(found.count > limit),
    ]
  }

  private func row(_ summary: CaseSummary) -> Value {
    var fields: [String: Value] = [
      "id": .string(summary.id), "seq": .integer(summary.seq),
      "revision": .integer(summary.revision), "born": .integer(summary.born),
      "written": .integer(summary.wall),
      "machines": .list(
        summary.machines.sorted { $0.key < $1.key }.map {
          .list([.string($0.key), .string($0.value.innermost(in: $0.key))])
        }),
    ]
    fields["due"] = summary.due.map { .integer($0) }
    fields["ended"] = summary.ended.map { .integer($0) }
    return .record(fields)
  }

  private func time(since then: Int?) -> String {
    let seconds = max(0, now - (then ?? now)) / 1_000_000
    return switch seconds {
    case ..<120: "\(seconds) s"
    case ..<7_200: "\(seconds / 60) min"
    case ..<172_800: "\(seconds / 3_600) h"
    default: "\(seconds / 86_400) days"
    }
  }
}

extension [String] {
  /// Where a machine stands, without the states around others, and without the machine itself.
  fileprivate func innermost(in machine: String) -> String {
    filter { path in path != machine && !contains { $0.hasPrefix(path + ".") } }
      .joined(separator: ", ")
  }
}

extension Inspection {
  /// The cases, those first that are stuck.
  package func cases(
    in place: String?, after id: String?, limit: Int, search: String?, now: Int
  ) async throws -> Value {
    var found: (machine: String, state: String)?
    if let place {
      guard let dot = place.utf8.firstIndex(of: UInt8(ascii: ".")), dot > place.startIndex else {
        throw InspectorMistake(.bad, "in is a machine and a state of it, such as order.open")
      }
      found = (String(place[..<dot]), String(place[place.utf8.index(after: dot)...]))
    }
    return try await CaseList(subject, now: now).data(found, after: id, limit: limit, search: search)
  }
}
