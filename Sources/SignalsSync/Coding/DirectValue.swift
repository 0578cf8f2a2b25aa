/// A type whose values are written without an `Encoder`.
protocol DirectlyEncodable: Encodable {
  /// Appends the bytes of the value.
  func write(to writer: inout ByteWriter, depth: Int) throws(ValueCodingError)
}

/// A type whose values are read without a `Decoder`.
protocol DirectlyDecodable: Decodable {
  /// Reads a value; its first byte hasn't been read.
  static func read(from reader: inout ByteReader, depth: Int) throws(ValueCodingError) -> Self
}

// Functions, because unspecialized generic code would instantiate generic types at each use.
extension ValueCoding {
  /// The type itself if its values are encoded directly, or `nil` if they need an `Encoder`.
  ///
  /// The common types are compared first: looking up a conformance takes 10 times as long.
  @inline(__always)
  static func directEncoding<Value: Encodable>(
    of type: Value.Type
  ) -> (any DirectlyEncodable.Type)? {
    if type == String.self { return String.self }
    if type == Int.self { return Int.self }
    if type == Double.self { return Double.self }
    if type == Bool.self { return Bool.self }
    return type as? any DirectlyEncodable.Type
  }

  /// The type itself if its values are decoded directly, or `nil` if they need a `Decoder`.
  @inline(__always)
  static func directDecoding<Value: Decodable>(
    of type: Value.Type
  ) -> (any DirectlyDecodable.Type)? {
    if type == String.self { return String.self }
    if type == Int.self { return Int.self }
    if type == Double.self { return Double.self }
    if type == Bool.self { return Bool.self }
    return type as? any DirectlyDecodable.Type
  }

  @inline(__always)
  static func encode<Value: Encodable>(
    _ value: Value, to writer: inout ByteWriter, depth: Int
  ) throws(ValueCodingError) {
    try encode(value, as: directEncoding(of: Value.self), to: &writer, depth: depth)
  }

  /// Appends the bytes of a value of a type that was looked up.
  @inline(__always)
  static func encode<Value: Encodable>(
    _ value: Value, as direct: (any DirectlyEncodable.Type)?, to writer: inout ByteWriter,
    depth: Int
  ) throws(ValueCodingError) {
    if let direct {
      try write(value, as: direct, to: &writer, depth: depth)
    } else {
      try EncodedNode.encode(value, to: &writer, depth: depth)
    }
  }

  @inline(__always)
  static func decode<Value: Decodable>(
    _ type: Value.Type = Value.self, from reader: inout ByteReader, depth: Int
  ) throws(ValueCodingError) -> Value {
    try decode(type, as: directDecoding(of: type), from: &reader, depth: depth)
  }

  /// Reads a value of a type that was looked up.
  @inline(__always)
  static func decode<Value: Decodable>(
    _ type: Value.Type = Value.self, as direct: (any DirectlyDecodable.Type)?,
    from reader: inout ByteReader, depth: Int
  ) throws(ValueCodingError) -> Value {
    if let direct { return try read(as: direct, from: &reader, depth: depth) }
    return try DecodedNode.decode(type, from: &reader, depth: depth)
  }

  @inline(__always)
  private static func write<Value, Direct: DirectlyEncodable>(
    _ value: Value, as _: Direct.Type, to writer: inout ByteWriter, depth: Int
  ) throws(ValueCodingError) {
    // The same type, which the compiler can't know.
    try unsafe unsafeBitCast(value, to: Direct.self).write(to: &writer, depth: depth)
  }

  @inline(__always)
  private static func read<Value, Direct: DirectlyDecodable>(
    as _: Direct.Type, from reader: inout ByteReader, depth: Int
  ) throws(ValueCodingError) -> Value {
    // The same type, which the compiler can't know.
    try unsafe unsafeBitCast(Direct.read(from: &reader, depth: depth), to: Value.self)
  }
}
