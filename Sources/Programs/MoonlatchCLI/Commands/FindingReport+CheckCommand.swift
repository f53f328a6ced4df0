import ArgumentParser
import FlowTools

extension FindingReport: ExpressibleByArgument {}
