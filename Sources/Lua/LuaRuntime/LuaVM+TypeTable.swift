import CLatch

extension LuaVM {
  /// Sets the types of the state, which must outlive the VM.
  ///
  /// It must be called before `finishLoading`.
  package func take(_ types: TypeTable) { latch_set_types(latch, types.types, types.root) }
}
