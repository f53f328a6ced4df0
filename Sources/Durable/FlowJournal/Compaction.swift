import FlowHosting
import FlowKernel
import JournalRows
