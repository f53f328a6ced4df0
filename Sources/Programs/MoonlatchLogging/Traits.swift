#if !Logging
  #error(
    "MoonlatchLogging needs the traits Flows and Logging: name both in the dependency on Moonlatch."
  )
#endif
