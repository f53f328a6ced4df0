import CLatch

/// Going back to what a VM was at one moment.
extension LuaVM {
  /// Remembers, once, what the VM is now; false where that cannot be, as in one that notes lines.
  ///
  /// - Parameter forLives: whether what it becomes is to be put aside.
  package func keepImage(forLives: Bool = false) -> Bool {
    if forLives { _ = latch_prepare_delta(latch) }
    guard latch_keep_image(latch) else { return false }
    cacheAtImage = cache
    return true
  }

  /// Remembers what the VM is now besides its image, and from now on goes back to that; false where that
  /// cannot be.
  package func keepFurtherImage() -> Bool {
    guard let cacheAtImage, cacheAtFirstImage == nil, latch_keep_further_image(latch) else {
      return false
    }
    cacheAtFirstImage = cacheAtImage
    self.cacheAtImage = cache
    return true
  }

  /// Forgets that, and from now on goes back to its first image again.
  package func dropFurtherImage() {
    guard let first = cacheAtFirstImage else { return }
    latch_drop_further_image(latch)
    (cacheAtImage, cacheAtFirstImage) = (first, nil)
  }

  /// Makes the VM what it was when its image was kept, to the last byte of its memory; false without
  /// an image, or while something runs.
  ///
  /// References made since are void, and what was provided is to be provided again.
  package func goBack() -> Bool {
    guard let cacheAtImage, latch_go_back(latch) else { return false }
    cache = cacheAtImage
    functions.forgetBodies(keeping: cache.provided.count)
    return true
  }
}
