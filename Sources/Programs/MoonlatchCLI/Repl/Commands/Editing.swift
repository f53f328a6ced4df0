import CLineEdit
import Platform
