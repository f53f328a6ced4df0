#if !Server
  /// The inspector, which is there only with the trait `Server`.
  @available(
    *, unavailable,
    message: "MoonlatchInspector needs the trait Server: name it in the dependency on Moonlatch."
  )
  public enum Inspector {}
#endif
