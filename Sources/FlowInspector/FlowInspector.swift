import Moonlatch
