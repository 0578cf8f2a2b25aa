// The columns of one shared class.
//
// State, in each field: `stamps`, a stamp for each row, empty until a field was written apart from
// its object's creation, and 0 in the rows where it wasn't; `targets`, the entity in each link's
// register; `lists`, the lists that hold or held something.

internal import Signals

/// The merge state of one class.
final class ClassState {
  let type: Object.Type
  let schema: Schema
  let name: String
  let number: Int16
  let fields: ContiguousArray<FieldState>
  private let offsets: ContiguousArray<Int>
  let linking: [Property]
  let keyField: Int?
  let isEmbedded: Bool
  let editsRevive: Bool
  /// The fields that hold parts, or whose targets are deleted with the object.
  let structuralFields: [Int]
  /// Whether the objects are parts that can have parts of their own, so that cycles are possible.
  let isNesting: Bool
  /// Whether objects of the class own parts, are parts, or are deleted by cascades.
  var isStructural = false
  private var indexes: [String: Int] = [:]
  /// The entity of each row.
  @safe @exclusivity(unchecked) private(set) var entities: ContiguousArray<Entity> = []

  init(_ type: Object.Type, number: Int, in store: Store) {
    let schema = Schema.shared(type, in: store)
    self.type = type
    self.schema = schema
    name = schema.name
    self.number = Int16(number)
    linking = schema.properties.filter(\.isLinking)
    // Whether a link cascades is known by an object only.
    let sample = linking.isEmpty ? nil : type.init()
    fields = ContiguousArray(
      schema.properties.filter { $0.role != .inverse }.map { FieldState($0, sample: sample) })
    keyField = fields.firstIndex { $0.property.role == .primaryKey }
    isEmbedded = type is EmbeddedObject.Type
    editsRevive = type.editsRevive
    offsets = ContiguousArray(fields.map(\.property.offset))
    if editsRevive { for field in fields { field.isPlain = false } }
    let fields = fields
    structuralFields = fields.indices.filter { fields[$0].owns || fields[$0].cascades }
    isNesting = isEmbedded && fields.contains(where: \.owns)
  }

  /// Adds a row.
  func add(_ entity: Entity) -> Int32 {
    entities.append(entity)
    for field in fields where field.isLink { field.appendTarget() }
    return Int32(entities.count - 1)
  }

  /// The field with a name or a former name.
  func field(named name: String) -> Int? {
    if let known = indexes[name] { return known < 0 ? nil : known }
    let index = fields.firstIndex { $0.property.name == name } ?? renamedField(name)
    indexes[name] = index ?? -1
    return index
  }

  private func renamedField(_ name: String) -> Int? {
    let renamed = type.renamed
    return fields.firstIndex { field in
      var former = renamed[field.property.name]
      for _ in 0...renamed.count {
        guard let present = former else { return false }
        if present == name { return true }
        former = renamed[present]
      }
      return false
    }
  }

  func field(at offset: Int) -> Int? { offsets.firstIndex(of: offset) }
}

/// The merge state of one property.
final class FieldState {
  let property: Property
  let codec: FieldCodec?
  let rule: MergeRule
  let arithmetic: CounterArithmetic?
  let isLink: Bool
  let isList: Bool
  /// Whether the property can hold parts.
  let owns: Bool
  let cascades: Bool
  /// Whether a write of the field made here concerns nothing but its value and its stamp.
  fileprivate(set) var isPlain: Bool
  @safe @exclusivity(unchecked) private(set) var stamps: ContiguousArray<StampIndex> = []
  @safe @exclusivity(unchecked) private(set) var targets: ContiguousArray<Entity> = []
  var lists: [Int32: ListRegister] = [:]

  init(_ property: Property, sample: Object?) {
    self.property = property
    codec = FieldCodec.make(property)
    isLink = property.role == .link
    isList = property.role == .links
    owns = property.embeds
    cascades = isLink && sample.map { property.onDelete(in: $0) == .cascade } ?? false
    let arithmetic = codec?.arithmetic
    rule = property.mergeRule
    self.arithmetic = rule == .adding ? arithmetic : nil
    isPlain = rule == .lastWriter && codec != nil
    if rule == .adding, arithmetic == nil {
      trap(
        """
        the counter '\(property.name)' of a shared class has values that can't be summed on several \
        replicas: \(property.type). A counter of a shared class is an integer of fixed width or a \
        floating-point number
        """)
    }
  }

  var isStructural: Bool { owns || cascades }

  @inline(__always)
  func stamp(_ row: Int) -> StampIndex { row < stamps.count ? stamps[row] : 0 }

  @inline(__always)
  func setStamp(_ stamp: StampIndex, _ row: Int, of rows: Int) {
    if row >= stamps.count {
      stamps.append(contentsOf: repeatElement(0, count: max(row + 1, rows) - stamps.count))
    }
    stamps[row] = stamp
  }

  func renumberStamps(_ renumbered: [StampIndex]) {
    for row in stamps.indices { stamps[row] = renumbered[Int(stamps[row])] }
  }

  /// Drops stamps, so that the stamps of the objects' creations hold for their values.
  func dropStamps(where isDropped: (_ row: Int, StampIndex) -> Bool) {
    var isAnyKept = false
    for row in stamps.indices where stamps[row] != 0 {
      if isDropped(row, stamps[row]) { stamps[row] = 0 } else { isAnyKept = true }
    }
    if !isAnyKept { stamps = [] }
  }

  func target(_ row: Int) -> Entity { row < targets.count ? targets[row] : -1 }
  func setTarget(_ target: Entity, _ row: Int) { targets[row] = target }
  fileprivate func appendTarget() { targets.append(-1) }
}

/// The register of one list: the order and identities of its elements, and their targets.
struct ListRegister {
  var positions = ListPositions<Stamp>()
  /// The targets of the elements, in the order of `positions`, also those that aren't visible.
  var targets: ContiguousArray<Entity> = []
  /// Operations that name elements that haven't come yet.
  var early: [(bytes: [UInt8], stamp: StampIndex)] = []

  /// Whether the list has never had an element.
  var isUnused: Bool { positions.pieceCount == 0 && early.isEmpty }
}
