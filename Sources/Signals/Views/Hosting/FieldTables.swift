// The stored fields of view types, read from the runtime's records once per host and type.
//
// State: `tables`, by type. No user code runs while a table is created.

/// The field tables of the view types that a host has evaluated.
final class FieldTables {
  private var tables: [ObjectIdentifier: FieldTable] = [:]

  func table<Whole>(of type: Whole.Type) -> FieldTable {
    if let table = tables[ObjectIdentifier(type)] { return table }
    let table = FieldTable(type, in: self)
    tables[ObjectIdentifier(type)] = table
    return table
  }
}

/// The layout of one type: where its wrappers are, and how its values are compared.
final class FieldTable {
  /// A field that is bound before each body.
  struct Wrapper {
    let name: String
    let offset: Int
    let type: any DynamicProperty.Type
    /// The type, if it is a wrapper rather than a struct of wrappers.
    let bound: (any BoundProperty.Type)?
  }

  /// A field that is compared.
  struct Input {
    /// The name of the field; empty if the value is compared as a whole.
    let name: String
    let offset: Int
    let comparison: InputComparison
  }

  let wrappers: [Wrapper]
  let inputs: [Input]

  fileprivate init<Whole>(_ type: Whole.Type, in tables: FieldTables) {
    var wrappers: [Wrapper] = []
    var inputs: [Input] = []
    // A class is compared by identity, so its fields don't matter.
    if !(type is AnyClass) {
      // Only a weak field makes a value that can't be moved bit by bit. A weak field must not be
      // loaded as if it were strong.
      let isPlain = _isBitwiseTakable(type)
      for field in FieldRecord.all(of: type) {
        if let wrapper = field.type as? any DynamicProperty.Type {
          wrappers.append(
            Wrapper(
              name: field.propertyName, offset: field.offset, type: wrapper,
              bound: field.type as? any BoundProperty.Type))
        }
        inputs.append(
          Input(
            name: field.name, offset: field.offset,
            comparison: .of(field.type, mayLoadExistentials: isPlain, in: tables)))
      }
    }
    if inputs.isEmpty, MemoryLayout<Whole>.size > 0 {
      // An enum or a class is compared as a whole.
      inputs = [
        Input(name: "", offset: 0, comparison: .of(type, mayLoadExistentials: false, in: tables))
      ]
    }
    self.wrappers = wrappers
    self.inputs = inputs
  }

  /// The name of the wrapper at an offset.
  ///
  /// Inside a struct of wrappers it is a path: `search.query`.
  func path(to offset: Int, in tables: FieldTables) -> String? {
    guard let wrapper = wrappers.last(where: { $0.offset <= offset }) else { return nil }
    let inner = tables.table(of: wrapper.type).path(to: offset - wrapper.offset, in: tables)
    return inner.map { "\(wrapper.name).\($0)" } ?? wrapper.name
  }
}
