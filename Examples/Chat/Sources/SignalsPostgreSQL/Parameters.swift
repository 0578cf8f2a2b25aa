// The binary form of parameters and of columns, as the server has it: big-endian, and an array with its
// dimensions first.

/// The parameters of a statement, in the binary form of the protocol.
struct Parameters: Sendable {
  private(set) var bytes: [UInt8] = []
  private(set) var sizes: [Int32] = []

  /// Adds a `bigint`.
  mutating func add(_ value: Int64) {
    sizes.append(8)
    bytes.append(bigEndian: value)
  }

  /// Adds a null.
  mutating func addNull() { sizes.append(-1) }

  /// Adds a `bytea`.
  mutating func add(_ value: some Collection<UInt8>) {
    sizes.append(Int32(value.count))
    bytes += value
  }

  /// Adds a `bigint[]`.
  mutating func add(_ values: some Collection<Int64>) {
    addArray(of: 20, values) { bytes, value in
      bytes.append(bigEndian: Int32(8))
      bytes.append(bigEndian: value)
    }
  }

  /// Adds a `bytea[]`.
  mutating func add<Values: Collection>(_ values: Values) where Values.Element == [UInt8] {
    addArray(of: 17, values) { bytes, value in
      bytes.append(bigEndian: Int32(value.count))
      bytes += value
    }
  }

  /// Adds an array of elements of the type with a number in the server's catalog.
  private mutating func addArray<Values: Collection>(
    of type: Int32, _ values: Values, _ append: (inout [UInt8], Values.Element) -> Void
  ) {
    let start = bytes.count
    // The number of dimensions, no nulls, the type; the length, and the number of the first element.
    let dimensions: Int32 = values.isEmpty ? 0 : 1
    for word in [dimensions, 0, type] { bytes.append(bigEndian: word) }
    if !values.isEmpty { for word in [Int32(values.count), 1] { bytes.append(bigEndian: word) } }
    for value in values { append(&bytes, value) }
    sizes.append(Int32(bytes.count - start))
  }
}

extension [UInt8] {
  fileprivate mutating func append(bigEndian value: some FixedWidthInteger) {
    for shift in stride(from: value.bitWidth - 8, through: 0, by: -8) {
      append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }
}
