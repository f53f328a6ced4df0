import CLatch

/// Restoring a VM to an earlier image of itself.
extension LuaVM {
  /// Stores an image of the VM, to which `goBack` returns.
  ///
  /// Returns false if there is an image already, or if memory runs out. The image has the lines that have run, if these
  /// are recorded for coverage.
  ///
  /// - Parameter forLives: true if later changes are to be stored as deltas (`putAside`).
  package func keepImage(forLives: Bool = false) -> Bool {
    if forLives { _ = latch_prepare_delta(latch) }
    guard latch_keep_image(latch) else { return false }
    cacheAtImage = cache
    return true
  }

  /// Stores a second image, to which `goBack` returns from now on.
  ///
  /// Returns false if there is no first image, if there is a second one already, or if `keepImage` would fail.
  package func keepFurtherImage() -> Bool {
    guard let cacheAtImage, cacheAtFirstImage == nil, latch_keep_further_image(latch) else {
      return false
    }
    cacheAtFirstImage = cacheAtImage
    self.cacheAtImage = cache
    return true
  }

  /// Drops the second image, so that `goBack` returns to the first one again.
  package func dropFurtherImage() {
    guard let first = cacheAtFirstImage else { return }
    latch_drop_further_image(latch)
    (cacheAtImage, cacheAtFirstImage) = (first, nil)
  }

  /// Restores the VM to its newest image, byte for byte.
  ///
  /// Returns false without an image, or while something runs. References made since the image are invalid, and all
  /// host functions must be provided again.
  package func goBack() -> Bool {
    guard let cacheAtImage, latch_go_back(latch) else { return false }
    cache = cacheAtImage
    functions.forgetBodies(keeping: cache.provided.count)
    return true
  }
}
