import FlowHosting
import FlowKernel
import Logging
