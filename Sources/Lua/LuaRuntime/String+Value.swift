extension String {
  /// Compares the bytes; Swift's `==` also accepts canonically equivalent texts.
  package func isSame(as other: String) -> Bool { self == other && utf8.elementsEqual(other.utf8) }
}
