// Values of properties and objects of classes that only other versions of the app have. They aren't
// in the store, and are written back whenever the file is written again.

internal import Signals

/// An encoded value that no class of this process reads.
enum CarriedValue {
  case value([UInt8])
  case link(ObjectID?)
  case list([ObjectID])

  /// Creates the initial value of a property, for an object that this process has created.
  init(initial kind: FileClass.Kind) {
    self =
      switch kind {
      case .value: .value([FileContents.initialValue])
      case .link: .link(nil)
      case .list: .list([])
      }
  }

  /// The ids of the objects to which the value refers.
  var targets: [ObjectID] {
    switch self {
    case .value: []
    case .link(let target): target.map { [$0] } ?? []
    case .list(let members): members
    }
  }
}

/// An object of the file that isn't in the store.
struct CarriedObject {
  let description: FileClass
  let id: ObjectID
  let sequence: UInt64
  /// The values, in the order of the description.
  let values: [CarriedValue]
}

/// The values and objects of other versions of the app.
struct CarriedContents {
  var objects: [CarriedObject] = []
  /// The values of unknown properties of stored objects, in the order of the description.
  ///
  /// The values of a deleted object stay, because an undo may restore it.
  var values: [ObjectID: [CarriedValue]] = [:]
  /// The unknown properties of classes of this process.
  var properties: [ObjectIdentifier: [FileClass.Property]] = [:]
}
