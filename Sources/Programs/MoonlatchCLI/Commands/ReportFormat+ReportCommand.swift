import ArgumentParser
import Scenarios

extension ReportFormat: ExpressibleByArgument {}
