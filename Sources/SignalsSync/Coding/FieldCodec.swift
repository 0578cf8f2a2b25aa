// The coding of one property's values between bytes and the storage in an object, without `Any`.

internal import Signals

/// Moves values of one property, of any type, between bytes and objects.
class FieldCodec {
  let offset: Int

  init(offset: Int) { self.offset = offset }

  // Overridden by `TypedCodec`.

  /// Appends the value of an object's property.
  func encode(_ object: Object, to writer: inout ByteWriter) throws(ValueCodingError) {}
  /// Reads a value into the storage of an object, and marks no observer.
  ///
  /// Other values may follow the value.
  func storeNext(_ reader: inout ByteReader, in object: Object) throws(ValueCodingError) {}
  /// Appends a value, which must be of the property's type.
  func write(_ value: any FieldValue, to writer: inout ByteWriter) throws(ValueCodingError) {}
  /// Reads a value, which other values may follow.
  func readNext(_ reader: inout ByteReader) throws(ValueCodingError) -> any FieldValue { 0 }
}

private final class TypedCodec<Value: FieldValue>: FieldCodec {
  private let coder = ValueCoder<Value>()

  override func encode(_ object: Object, to writer: inout ByteWriter) throws(ValueCodingError) {
    try coder.encode(object[field: offset], to: &writer)
  }

  override func storeNext(
    _ reader: inout ByteReader, in object: Object
  ) throws(ValueCodingError) {
    object[field: offset] = try coder.decodeNext(from: &reader)
  }

  override func write(
    _ value: any FieldValue, to writer: inout ByteWriter
  ) throws(ValueCodingError) {
    guard let value = value as? Value else {
      throw .refused(type: "\(Value.self)", reason: "\(type(of: value)) is another type")
    }
    try coder.encode(value, to: &writer)
  }

  override func readNext(
    _ reader: inout ByteReader
  ) throws(ValueCodingError) -> any FieldValue { try coder.decodeNext(from: &reader) }
}

extension FieldCodec {
  /// Creates the codec of a field, or returns `nil` for a link or list.
  static func make(_ property: Property) -> FieldCodec? {
    property.fieldType?.codec(at: property.offset)
  }
}

extension FieldStorage {
  fileprivate static func codec(at offset: Int) -> FieldCodec {
    // These types are named so that the compiler specializes their codecs.
    if Value.self == Int.self { return TypedCodec<Int>(offset: offset) }
    if Value.self == String.self { return TypedCodec<String>(offset: offset) }
    if Value.self == Double.self { return TypedCodec<Double>(offset: offset) }
    if Value.self == Bool.self { return TypedCodec<Bool>(offset: offset) }
    if Value.self == String?.self { return TypedCodec<String?>(offset: offset) }
    if Value.self == Int?.self { return TypedCodec<Int?>(offset: offset) }
    return TypedCodec<Value>(offset: offset)
  }
}
