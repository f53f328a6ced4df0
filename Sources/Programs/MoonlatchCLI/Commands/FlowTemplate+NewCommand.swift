import ArgumentParser
import FlowTools

extension FlowTemplate.Kind: ExpressibleByArgument {}
