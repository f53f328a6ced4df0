import CLatch

extension LuaVM {
  /// The state may hold what these types say, which have to outlive the VM.
  ///
  /// Before `finishLoading`.
  package func take(_ types: TypeTable) { latch_set_types(latch, types.types, types.root) }
}
