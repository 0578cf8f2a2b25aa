// The runtime's records of the stored fields of types.
//
// This is the only file that knows of `_forEachField`. It inspects only the type, so no user code
// runs.

@_spi(Reflection) private import Swift

/// A stored field of a struct or class.
struct FieldRecord {
  /// The name in the runtime's records; that of a wrapped property begins with an underscore.
  let name: String
  /// The byte offset in every value of the struct, or in every instance of the class and its
  /// subclasses.
  let offset: Int
  let type: any Any.Type

  /// The name of the property in the source, if the field is the storage of a wrapper.
  var propertyName: String { name.hasPrefix("_") ? String(name.dropFirst()) : name }

  /// Returns the stored fields of a type, inherited ones first; none if it is an enum.
  static func all(of type: any Any.Type) -> [FieldRecord] {
    var fields: [FieldRecord] = []
    // The option "the type is a class", as a raw value: strict concurrency rejects its name.
    let options = _EachFieldOptions(rawValue: type is AnyClass ? 1 : 0)
    _ = unsafe _forEachField(of: type, options: options) { name, offset, type, _ in
      fields.append(
        FieldRecord(name: unsafe String(cString: name), offset: offset, type: type))
      return true
    }
    return fields
  }
}
