/// How live rows show their objects: as themselves, or as projections of them.
struct RowAccess<Element> {
  /// The row of an object.
  let row: (Object) -> Element
  /// Calls a closure with the row of an object, which may have been made for that alone.
  let visit: (Object, (Element) -> Void) -> Void

  /// What a function of the row makes of an object.
  func read<Value>(_ object: Object, _ value: (Element) -> Value) -> Value {
    var result: Value?
    visit(object) { result = value($0) }
    return unsafe result.unsafelyUnwrapped
  }
}

extension RowAccess where Element: Object {
  /// The objects themselves.
  static var objects: RowAccess {
    RowAccess(row: { List<Element>.typed($0) }, visit: { $1(List<Element>.typed($0)) })
  }
}
