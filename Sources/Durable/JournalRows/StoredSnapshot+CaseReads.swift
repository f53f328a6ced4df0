import FlowHosting
import FlowKernel

extension StoredSnapshot {
  package func checksum(of id: String) -> Int {
    var sum = Checksum()
    sum.add(id)
    sum.add(seq)
    sum.add(flow)
    sum.add(body)
    return Int(sum.value)
  }
}
