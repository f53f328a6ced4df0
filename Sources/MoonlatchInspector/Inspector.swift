#if Server
  import FlowInspector
  import FlowServer
#endif
