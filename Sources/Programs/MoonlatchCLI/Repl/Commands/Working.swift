import FlowLanguage
import Scenarios
