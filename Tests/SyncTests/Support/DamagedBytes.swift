import SignalsTesting

/// Damages bytes in one of the ways in which files and connections do.
func damaged(_ bytes: [UInt8], using random: inout SeededRandom) -> [UInt8] {
  var result = bytes
  guard !result.isEmpty else { return [UInt8.random(in: 0...255, using: &random)] }
  let position = Int.random(in: 0..<result.count, using: &random)
  switch Int.random(in: 0...6, using: &random) {
  case 0: result[position] ^= 1 << UInt8.random(in: 0...7, using: &random)
  case 1: result[position] = .random(in: 0...255, using: &random)
  case 2: result.removeSubrange(position...)
  case 3: result.remove(at: position)
  case 4: result.insert(.random(in: 0...255, using: &random), at: position)
  case 5: result.insert(contentsOf: repeatElement(0xff, count: 9), at: position)
  default:
    let other = Int.random(in: 0..<result.count, using: &random)
    result.swapAt(position, other)
    result[other] = .random(in: 0...255, using: &random)
  }
  return result
}
