import FlowHosting
import LuaRuntime

/// The list of cases on a page, with stuck cases first.
///
/// A case is stuck if it could not be woken for what is due, if something has been due for longer than a minute, or if
/// nothing has happened for a day and nothing will happen by itself, though it has not ended.
struct CaseList {
  let subject: any Inspected
  let now: Int

  /// The delay from which a due case counts as late, in microseconds.
  static let late = 60_000_000
  static let quiet = 86_400_000_000
  private static let most = 200

  init(_ subject: any Inspected, now: Int) { (self.subject, self.now) = (subject, now) }

  /// The maximum number of cases that are searched for one answer; `mostStates` limits the states that are read.
  private static let mostLookedAt = 20_000
  private static let mostStates = 500
  private static let page = 1_000

  /// Lists the stuck cases, then those that match: of all cases, or of those with a machine in a state.
  ///
  /// An answer stops before the end if many cases do not match. Then `more` is true, and `after` is the position of the
  /// next answer.
  func data(
    _ place: (machine: String, state: String)?, after id: String?, limit: Int,
    _ filter: CaseFilter, _ state: (CaseSummary) async throws -> Value
  ) async throws -> Value {
    let found = try await fitting(place, after: id, limit: limit, filter, state)
    var fields: [String: Value] = [
      "cases": .list(found.cases.map(row)), "more": .boolean(found.isMore),
      "looked": .integer(found.looked),
      "stuck": .list(
        id == nil && filter.isEmpty
          ? try await stuck(in: found.cases).map { each in
            guard case .record(var fields) = row(each.summary) else { return .nil }
            fields["why"] = .string(each.why)
            return .record(fields)
          } : []),
    ]
    fields["after"] = found.last.map { .string($0) }
    return .record(fields)
  }

  private func fitting(
    _ place: (machine: String, state: String)?, after id: String?, limit: Int,
    _ filter: CaseFilter, _ state: (CaseSummary) async throws -> Value
  ) async throws -> (cases: [CaseSummary], last: String?, isMore: Bool, looked: Int) {
    let troubled =
      filter.outcome == .overdue ? try await subject.overdue(since: now, limit: 1).troubled : []
    let page = filter.isEmpty ? limit : CaseList.page
    var (cases, last, looked, states) = ([CaseSummary](), id, 0, 0)
    while looked < CaseList.mostLookedAt {
      let next = try await subject.list(place, after: last, limit: page)
      for each in next {
        if cases.count == limit || states == CaseList.mostStates {
          return (cases, last, true, looked)
        }
        (last, looked) = (each.id, looked + 1)
        guard filter.fits(each, now: now, troubled: troubled) else { continue }
        if let condition = filter.condition {
          states += 1
          // A state that can no longer be read matches nothing.
          guard let state = try? await state(each), condition.holds(in: state) else { continue }
        }
        cases.append(each)
      }
      if next.count < page { return (cases, last, false, looked) }
      if filter.isEmpty { break }
    }
    return (cases, last, true, looked)
  }

  private func stuck(
    in page: [CaseSummary]
  ) async throws -> [(summary: CaseSummary, why: String, rank: Int)] {
    var stuck: [(summary: CaseSummary, why: String, rank: Int)] = []
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
    return stuck.sorted { ($0.rank, $0.summary.wall) < ($1.rank, $1.summary.wall) }
  }

  /// Counts the first 20,000 cases, by state of each machine and by condition.
  func counts() async throws -> Value {
    var machines: [String: [String: Int]] = [:]
    var (total, ended, overdue) = (0, 0, 0)
    var last: String?
    while total < CaseList.mostLookedAt {
      let next = try await subject.list(nil, after: last, limit: CaseList.page)
      for each in next {
        total += 1
        if each.ended != nil { ended += 1 }
        if each.ended == nil, let due = each.due, now - due > CaseList.late { overdue += 1 }
        for (machine, states) in each.machines {
          machines[machine, default: [:]][states.innermost(in: machine), default: 0] += 1
        }
      }
      last = next.last?.id
      if next.count < CaseList.page { break }
    }
    return [
      "total": .integer(total), "ended": .integer(ended), "running": .integer(total - ended),
      "overdue": .integer(overdue), "more": .boolean(total >= CaseList.mostLookedAt),
      "machines": .list(
        machines.sorted { $0.key < $1.key }.map { machine, counts in
          [
            "name": .string(machine),
            "states": .list(
              counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map {
                .list([.string($0.key), .integer($0.value)])
              }),
          ]
        }),
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

  /// Returns the time since then, in its largest unit.
  private func time(since then: Int?) -> String {
    let seconds = max(0, now - (then ?? now)) / 1_000_000
    let unit = [86_400, 3_600, 60].first { seconds >= $0 } ?? 1
    return DurationText.text(Double(seconds - seconds % unit))
  }
}

extension [String] {
  /// Returns the innermost active states of a machine, without their ancestors and without the machine itself.
  fileprivate func innermost(in machine: String) -> String {
    filter { path in path != machine && !contains { $0.hasPrefix(path + ".") } }
      .joined(separator: ", ")
  }
}
