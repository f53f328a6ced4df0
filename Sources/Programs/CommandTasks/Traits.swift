#if !Server
  /// The runner of commands, which is there only with the trait `Server`.
  @available(
    *, unavailable,
    message: "CommandTasks needs the trait Server: name it in the dependency on Moonlatch."
  )
  public enum CommandTaskRunner {}
#endif
