// The coding of one property's values between bytes and the storage in an object, without `Any` on
// the way of bulk merges.

internal import Signals

/// Moves the values of one property between bytes and objects, whatever their type.
class FieldCodec {
  let offset: Int
  /// Whether a value can be replaced in place: releasing it runs no code of the app.
  let isPlain: Bool

  init(offset: Int, isPlain: Bool) {
    self.offset = offset
    self.isPlain = isPlain
  }

  // Overridden by `TypedCodec`.

  /// Appends the value of an object's property.
  func encode(_ object: Object, to writer: inout ByteWriter) throws(ValueCodingError) {}
  /// Reads a value straight into the storage in an object, and marks no reader.
  func store(_ reader: inout ByteReader, in object: Object) throws(ValueCodingError) {}
  /// Does so with a value that others may follow.
  func storeNext(_ reader: inout ByteReader, in object: Object) throws(ValueCodingError) {}
  /// Reads a value.
  func decode(_ reader: inout ByteReader) throws(ValueCodingError) -> Any { () }
  /// Appends a value.
  func encode(_ value: Any, to writer: inout ByteWriter) throws(ValueCodingError) {}
  /// Whether a value is greater than the one in an object.
  func isGreater(_ value: Any, than object: Object) -> Bool { false }
  /// Whether the first value is greater.
  func isGreater(_ value: Any, thanValue other: Any) -> Bool { false }
  /// The arithmetic of a counter's values; nil if they are no numbers.
  var arithmetic: CounterArithmetic? { nil }

  /// The bytes of an object's value; empty if it can't be encoded.
  final func bytes(of object: Object) -> [UInt8] {
    var writer = ByteWriter()
    do throws(ValueCodingError) { try encode(object, to: &writer) } catch { return [] }
    return writer.bytes
  }

  /// The bytes of a value; empty if it can't be encoded.
  final func bytes(ofValue value: Any) -> [UInt8] {
    var writer = ByteWriter()
    do throws(ValueCodingError) { try encode(value, to: &writer) } catch { return [] }
    return writer.bytes
  }

  /// The value with the given bytes; nil if they aren't one of the type.
  final func value(_ bytes: [UInt8]) -> Any? {
    var reader = ByteReader(bytes)
    return try? decode(&reader)
  }
}

final class TypedCodec<Value: FieldValue>: FieldCodec {
  private let coder = ValueCoder<Value>()

  override func encode(_ object: Object, to writer: inout ByteWriter) throws(ValueCodingError) {
    try coder.encode(object[field: offset], to: &writer)
  }

  override func store(_ reader: inout ByteReader, in object: Object) throws(ValueCodingError) {
    object[field: offset] = try coder.decode(from: &reader)
  }

  override func storeNext(
    _ reader: inout ByteReader, in object: Object
  ) throws(ValueCodingError) {
    object[field: offset] = try coder.decodeNext(from: &reader)
  }

  override func decode(_ reader: inout ByteReader) throws(ValueCodingError) -> Any {
    try coder.decode(from: &reader)
  }

  override func encode(_ value: Any, to writer: inout ByteWriter) throws(ValueCodingError) {
    guard let value = value as? Value else {
      throw .refused(type: "\(Value.self)", reason: "it is a \(Swift.type(of: value))")
    }
    try coder.encode(value, to: &writer)
  }

  override func isGreater(_ value: Any, than object: Object) -> Bool {
    isGreater(value, thanValue: object[field: offset] as Value)
  }

  override func isGreater(_ value: Any, thanValue other: Any) -> Bool {
    func open<Ordered: Comparable>(_ value: Ordered) -> Bool {
      (other as? Ordered).map { value > $0 } ?? false
    }
    guard let value = value as? any Comparable else { return false }
    return open(value)
  }

  override var arithmetic: CounterArithmetic? { CounterArithmetic(Value.self) }
}

extension FieldCodec {
  /// Creates the codec of a field; nil for links and lists.
  static func make(_ property: Property) -> FieldCodec? {
    guard let type = property.type as? any StoredFieldProperty.Type else { return nil }
    return type.codec(property)
  }
}

extension StoredFieldProperty {
  fileprivate static func codec(_ property: Property) -> FieldCodec {
    // Named here, so that the compiler specializes them.
    let (offset, isField) = (property.offset, property.role == .field)
    if Value.self == Int.self { return TypedCodec<Int>(offset: offset, isPlain: isField) }
    if Value.self == String.self { return TypedCodec<String>(offset: offset, isPlain: isField) }
    if Value.self == Double.self { return TypedCodec<Double>(offset: offset, isPlain: isField) }
    if Value.self == Bool.self { return TypedCodec<Bool>(offset: offset, isPlain: isField) }
    if Value.self == String?.self { return TypedCodec<String?>(offset: offset, isPlain: isField) }
    if Value.self == Int?.self { return TypedCodec<Int?>(offset: offset, isPlain: isField) }
    return TypedCodec<Value>(offset: offset, isPlain: isField && _isPOD(Value.self))
  }
}
