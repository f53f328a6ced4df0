#if Server
  import Hummingbird
  import Moonlatch
#endif
