import Foundation

/// How much memory the process has.
public enum HistoryValue {
  /// Resident bytes, from /proc; zero where there is none.
  public static var resident: Int {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else {
      return 0
    }
    let fields = text.split(separator: " ")
    return fields.count > 1 ? (Int(fields[1]) ?? 0) * 4096 : 0
  }
}
