extension String {
  /// Returns the longest beginning that takes at most so many bytes as UTF-8.
  package func prefix(bytes most: Int) -> String {
    guard utf8.count > most else { return self }
    var left = most
    let end = unicodeScalars.firstIndex { scalar in
      left -= UTF8.width(scalar)
      return left < 0
    }
    return end.map { String(self[..<$0]) } ?? self
  }
}
