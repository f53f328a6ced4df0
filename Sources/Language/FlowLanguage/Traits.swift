// A client that names its traits, and leaves out the one of the product that it uses, is told so here, before the
// compiler misses a module.
#if !Flows
  #error(
    "Moonlatch needs its trait Flows: name it in the dependency, such as traits: [\"Flows\"]; StateBlocks alone needs none."
  )
#endif
