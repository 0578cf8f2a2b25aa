// Type-erased operations on the values of one property in the memory of a snapshot.
//
// A column works on addresses, and its caller knows which of them are initialized
// (SnapshotNode.swift). Taking and copying values runs no user code; comparing, encoding and
// decoding them does.

/// The location of a row: the table of its class, and its slot there.
///
/// A link is stored as the location of its target, so that following it needs no search. The
/// location stays valid because an object keeps its slot while it is stored, and an object that
/// leaves the store is first removed from every link.
struct SnapshotLocation: Hashable, Sendable {
  var table: Int32
  var slot: Int32

  static let none = SnapshotLocation(table: -1, slot: -1)

  /// Creates the location of a stored object's row.
  @inline(__always)
  init(of object: Object) {
    table = object.table?.snapshotTable ?? -1
    slot = object.slot
  }

  init(table: Int, slot: Int) { self.init(table: Int32(table), slot: Int32(slot)) }

  init(table: Int32, slot: Int32) {
    self.table = table
    self.slot = slot
  }
}

/// The values of one property.
///
/// Unchecked, and safe on any thread: it and its subclasses consist of constants, set once before
/// the column is shared. The compiler can't verify that for a class with subclasses, which is the
/// only reason for `@unchecked`. `Property` is one of these constants: a name, an offset, and
/// metatypes, which are constants of the program. The memory passed to a column is its caller's
/// concern; see ``SnapshotCore`` for why several threads may read rows.
class SnapshotColumn: @unchecked Sendable {  // Constants only, here and below.
  let property: Property
  /// The byte offset of the first value in a leaf.
  let start: Int
  let stride: Int
  let size: Int
  let alignment: Int
  /// Whether values can be copied bit by bit and needn't be deinitialized.
  let isTrivial: Bool

  init<Value>(_ property: Property, after end: Int, holding type: Value.Type) {
    self.property = property
    stride = MemoryLayout<Value>.stride
    size = MemoryLayout<Value>.size
    alignment = MemoryLayout<Value>.alignment
    start = (end + alignment - 1) / alignment * alignment
    isTrivial = _isPOD(type)
  }

  /// The offset of the byte after the last value.
  var end: Int { start + stride * SnapshotNode.rows }

  // Overridden by each kind of column that needs the operation.

  /// Copies the value of an object into uninitialized memory.
  func take(from object: Object, to value: UntypedPointer) {
    misuse("each kind of column takes values its own way")
  }
  /// Copies consecutive values.
  func copy(_ values: UntypedPointer, to target: UntypedPointer, count: Int) {
    misuse("values without a copy of their own are copied bit by bit, and not by the column")
  }
  /// Deinitializes values.
  func destroy(_ values: UntypedPointer, count: Int) {
    misuse("values that are bits need no end")
  }
  /// Removes a value and defers its release, which may run user code, until the rows have been
  /// changed.
  func leave(_ value: UntypedPointer) { destroy(value, count: 1) }

  // For columns of fields only. Readers of a row handle links and lists first, because locations
  // have no meaning without the other rows.

  /// Compares the values of two fields; NaN counts as equal to NaN.
  func isSame(_ value: UntypedPointer, _ other: UntypedPointer) -> Bool {
    misuse("places of two snapshots can't be compared")
  }
  /// Stores the value of a field in an unstored object.
  func put(_ value: UntypedPointer, into object: Object) {
    misuse("a place is no object")
  }
  /// The value of a field, as a change set represents it.
  func encodedValue(at value: UntypedPointer) -> any FieldValue {
    misuse("a place is no id")
  }
  /// The value of a primary key; nil for other columns.
  func key(_ value: UntypedPointer) -> AnyHashable? { nil }
  /// Encodes the value of a field.
  func encode(
    _ value: UntypedPointer, to container: inout any UnkeyedEncodingContainer
  ) throws {
    misuse("places are encoded as positions in the order of all objects")
  }
  /// Decodes the value of a field into uninitialized memory.
  func decode(
    to value: UntypedPointer, from container: inout any UnkeyedDecodingContainer
  ) throws {
    misuse("places are known when all objects are decoded")
  }

  /// Reached only by a programming error in this folder.
  private func misuse(_ reason: String) -> Never {
    trap("the column of \(property.name) can't do this: \(reason)")
  }
}

/// The values of a field.
///
/// Unchecked, and safe: it adds no state, so the proof of ``SnapshotColumn`` holds.
class FieldColumn<P: FieldStorage>: SnapshotColumn, @unchecked Sendable {  // No state.
  typealias Value = P.Value

  init(_ property: Property, after end: Int) {
    super.init(property, after: end, holding: Value.self)
  }

  /// The place of a value in a row, which is one of this column.
  fileprivate final func place(_ value: UntypedPointer) -> UncheckedPointer<Value> {
    unsafe value.field(as: Value.self)
  }

  override func take(from object: Object, to value: UntypedPointer) {
    let storage = P.storage(in: object, at: property.offset)
    place(value).initialize(from: storage.storedValue, 1)
  }

  override func copy(_ values: UntypedPointer, to target: UntypedPointer, count: Int) {
    place(target).initialize(from: place(values), count)
  }

  override func destroy(_ values: UntypedPointer, count: Int) {
    place(values).deinitialize(count)
  }

  override func leave(_ value: UntypedPointer) {
    let value = place(value)
    if mayRunCode(Value.self) {
      Scheduler.deferRelease(value.move())
    } else {
      value.deinitialize()
    }
  }

  override func isSame(_ value: UntypedPointer, _ other: UntypedPointer) -> Bool {
    ValueEquality.areEqual(place(value).pointee, place(other).pointee)
  }

  override func put(_ value: UntypedPointer, into object: Object) {
    P.storage(in: object, at: property.offset).pointee.stored = place(value).pointee
  }

  override func encodedValue(at value: UntypedPointer) -> any FieldValue {
    place(value).pointee
  }

  override func encode(
    _ value: UntypedPointer, to container: inout any UnkeyedEncodingContainer
  ) throws {
    try container.encode(place(value).pointee)
  }

  override func decode(
    to value: UntypedPointer, from container: inout any UnkeyedDecodingContainer
  ) throws {
    let decoded = try container.decode(Value.self)
    place(value).initialize(to: decoded)
  }
}

/// The values of a primary key.
///
/// Unchecked, and safe: it adds no state, so the proof of ``SnapshotColumn`` holds.
final class KeyColumn<P: IndexedProperty>: FieldColumn<P>, @unchecked Sendable {  // No state.
  override func key(_ value: UntypedPointer) -> AnyHashable? {
    AnyHashable(place(value).pointee)
  }
}

extension UntypedPointer {
  /// A value of a column of links.
  var location: UncheckedPointer<SnapshotLocation> { unsafe field(as: SnapshotLocation.self) }
  /// A value of a column of lists.
  var members: UncheckedPointer<ListColumn.Members> { unsafe field(as: ListColumn.Members.self) }
}

/// Links, as locations.
///
/// Unchecked, and safe: it adds no state, so the proof of ``SnapshotColumn`` holds.
final class LinkColumn: SnapshotColumn, @unchecked Sendable {  // It adds no state.
  init(_ property: Property, after end: Int) {
    super.init(property, after: end, holding: SnapshotLocation.self)
  }

  override func take(from object: Object, to value: UntypedPointer) {
    var location = SnapshotLocation.none
    property.references(in: object).forEach {
      location = SnapshotLocation(of: $0)
    }
    value.location.initialize(to: location)
  }
}

/// Lists of links, as trees of locations.
///
/// Unchecked, and safe: it adds no state, so the proof of ``SnapshotColumn`` holds.
final class ListColumn: SnapshotColumn, @unchecked Sendable {  // It adds no state.
  typealias Members = Tree<SnapshotLocation>

  init(_ property: Property, after end: Int) {
    super.init(property, after: end, holding: Members.self)
  }

  override func take(from object: Object, to value: UntypedPointer) {
    value.members.initialize(to: members(of: object))
  }

  override func copy(_ values: UntypedPointer, to target: UntypedPointer, count: Int) {
    target.members.initialize(from: values.members, count)
  }

  override func destroy(_ values: UntypedPointer, count: Int) {
    values.members.deinitialize(count)
  }

  private func list(of object: Object) -> Tree<Object> {
    guard case .list(let list) = property.references(in: object) else { return Tree() }
    return list
  }

  private func members(of object: Object) -> Members {
    let list = list(of: object)
    return list.isEmpty ? Members() : Members(list.lazy.map { SnapshotLocation(of: $0) })
  }

  /// Updates a row's list to the object's list, which was `old` when the row was written.
  ///
  /// - Complexity: O(edits · log n).
  func update(_ value: UntypedPointer, from object: Object, old: Tree<Object>) {
    let members = value.members
    let new = list(of: object)
    // From the end, so that earlier positions stay valid.
    for edit in Tree.difference(from: old, to: new, isSame: { $0 === $1 }).reversed() {
      var arriving: [SnapshotLocation] = []
      new.forEach(in: edit.newRange) { arriving.append(SnapshotLocation(of: $0)) }
      members.pointee.replaceSubrange(edit.oldRange, with: arriving)
    }
  }
}
