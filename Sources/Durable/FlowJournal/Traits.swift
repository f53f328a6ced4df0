#if !Journal
  #error(
    "FlowJournal needs the traits Flows and Journal: name both in the dependency on Moonlatch.")
#endif
