import CLatch

/// Going back to what a VM was at one moment.
extension LuaVM {
  /// Remembers, once, what the VM is now; false where that cannot be, as in one that notes lines.
  package func keepImage() -> Bool {
    guard latch_keep_image(latch) else { return false }
    knownAtImage = known
    return true
  }

  /// Makes the VM what it was when its image was kept, to the last byte of its memory; false without
  /// an image, or while something runs.
  ///
  /// References made since are void, and what was provided is to be provided again.
  package func goBack() -> Bool {
    guard let knownAtImage, latch_go_back(latch) else { return false }
    known = knownAtImage
    functions.forgetBodies(keeping: known.provided.count)
    return true
  }
}
