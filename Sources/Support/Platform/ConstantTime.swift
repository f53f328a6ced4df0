/// Comparison of secrets, whose time reveals nothing about where two texts differ.
package enum ConstantTime {
  /// Returns true if the bytes are equal; the time depends only on the length of the known ones.
  package static func areEqual(_ known: [UInt8], _ given: [UInt8]) -> Bool {
    var difference = known.count ^ given.count
    for index in known.indices {
      difference |= Int(known[index] ^ (index < given.count ? given[index] : 0))
    }
    return difference == 0
  }
}
