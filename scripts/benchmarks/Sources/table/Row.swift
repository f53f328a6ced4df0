import Foundation

/// Something measured.
enum Figure {
  case nanoseconds(Double)
  case bytes(Double)

  var value: Double {
    switch self {
    case .nanoseconds(let value), .bytes(let value): value
    }
  }

  var text: String {
    switch self {
    case .nanoseconds(let value) where value >= 100_000:
      Figure.number(value / 1_000, digits: 0) + " µs"
    case .nanoseconds(let value) where value >= 10_000:
      Figure.number(value / 1_000, digits: 1) + " µs"
    case .nanoseconds(let value): Figure.number(value, digits: value < 100 ? 1 : 0) + " ns"
    case .bytes(let value) where value >= 10_000_000:
      Figure.number(value / 1_000_000, digits: 1) + " MB"
    case .bytes(let value) where value >= 10_000:
      Figure.number(value / 1_000, digits: 1) + " KB"
    case .bytes(let value): Figure.number(value, digits: 0) + " bytes"
    }
  }

  static func number(_ value: Double, digits: Int) -> String {
    let text = String(format: "%.\(digits)f", value)
    let whole = text.prefix { $0 != "." }
    var grouped = ""
    for (index, digit) in whole.enumerated() {
      if index > 0, (whole.count - index) % 3 == 0 { grouped.append(",") }
      grouped.append(digit)
    }
    return grouped + text.dropFirst(whole.count)
  }
}

/// The limit of a row.
enum Limit {
  /// Our figure by the peer's.
  case costs(atMost: Double?)
  /// The peer's figure by ours.
  case asFast(atLeast: Double?)
  /// Our figure, in bytes.
  case bytes(atMost: Double?)
}

/// A line of the table.
struct Row {
  let work: String
  let ours: Figure
  let against: String
  /// Nil when there is no peer, or when it could not be measured.
  var peer: Figure?
  let limit: Limit
  /// True for the four rows that the README shows.
  ///
  /// In two of them the peer is the faster one.
  let inReadme: Bool

  init(
    _ work: String, _ ours: Figure, against: String, _ peer: Figure?, _ limit: Limit,
    inReadme: Bool = false
  ) {
    (self.work, self.ours, self.against, self.peer) = (work, ours, against, peer)
    (self.limit, self.inReadme) = (limit, inReadme)
  }

  static let titles = ["work", "ours", "against", "theirs", "ratio", "limit", "verdict"]
  /// How many of the cells the README has.
  static let readmeCells = 5

  var cells: [String] {
    [work, ours.text, against, peer?.text ?? "", ratioText, limitText, verdict]
  }

  /// True if the row is within its limit; nil if there is none, or no peer to compare with.
  var passes: Bool? {
    switch limit {
    case .costs(let most?): ratio.map { $0 <= most }
    case .asFast(let least?): ratio.map { $0 >= least }
    case .bytes(let most?): ours.value <= most
    case .costs(nil), .asFast(nil), .bytes(nil): nil
    }
  }

  private var ratio: Double? {
    guard let peer else { return nil }
    return switch limit {
    case .costs: ours.value / peer.value
    case .asFast: peer.value / ours.value
    case .bytes: nil
    }
  }

  private var ratioText: String {
    guard let ratio else { return "" }
    let number = Figure.number(ratio, digits: ratio < 10 ? 2 : 0)
    if case .costs = limit { return number + " times the cost" }
    return number + " times as fast"
  }

  private var limitText: String {
    switch limit {
    case .costs(let most?): "at most " + String(format: "%g", most)
    case .asFast(let least?): "at least " + String(format: "%g", least)
    case .bytes(let most?): "at most " + Figure.bytes(most).text
    case .costs(nil), .asFast(nil), .bytes(nil): "none"
    }
  }

  /// True if there is nothing to compare with, because the peer is not installed or did not run.
  var isSkipped: Bool {
    if case .bytes = limit { return false }
    return peer == nil
  }

  private var verdict: String {
    if let passes { return passes ? "PASS" : "MISS" }
    return isSkipped ? "skipped" : "reported"
  }
}
