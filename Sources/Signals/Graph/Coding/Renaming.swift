// Properties that had other names when something was encoded.

extension Schema {
  /// Which of some names has the values of each property, by the property's present name.
  ///
  /// What has its name still goes first: another property may have had it before.
  func encodedNames(among names: Set<String>) -> [String: String] {
    var found: [String: String] = [:]
    for property in carried where names.contains(property.name) {
      found[property.name] = property.name
    }
    if found.count == names.count { return found }
    var taken = Set(found.values)
    let renamed = type.allRenamed
    for property in carried where found[property.name] == nil {
      var (name, steps) = (property.name, 0)
      while let old = renamed[name], steps <= renamed.count {
        (name, steps) = (old, steps + 1)
        guard names.contains(name), taken.insert(name).inserted else { continue }
        found[property.name] = name
        break
      }
    }
    return found
  }
}

extension Object {
  /// What the class and its superclasses have renamed, new names to old ones.
  fileprivate static var allRenamed: [String: String] {
    var all: [String: String] = [:]
    var candidate: AnyClass? = self
    while let type = candidate as? Object.Type {
      all.merge(type.renamed) { nearest, _ in nearest }
      candidate = _getSuperclass(type)
    }
    return all
  }
}
