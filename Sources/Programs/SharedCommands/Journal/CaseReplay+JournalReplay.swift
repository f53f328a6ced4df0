import FlowCases
import FlowKernel

extension CaseReplay.Difference: CustomStringConvertible {}
