extension String {
  /// Compares the bytes: Swift takes texts for equal that are canonically equivalent.
  package func isSame(as other: String) -> Bool { self == other && utf8.elementsEqual(other.utf8) }
}
