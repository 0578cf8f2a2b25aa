// Properties that had other names when data was encoded.

extension Schema {
  /// Finds, among the names in encoded data, the name that has the value of each property.
  ///
  /// A property whose current name is among them takes precedence over one that had the name
  /// before.
  ///
  /// - Returns: The encoded names, by the current names of their properties.
  package func encodedNames(among names: Set<String>) -> [String: String] {
    var found: [String: String] = [:]
    for property in encodedProperties where names.contains(property.name) {
      found[property.name] = property.name
    }
    if found.count == names.count { return found }
    var taken = Set(found.values)
    let renamed = formerNames
    for property in encodedProperties where found[property.name] == nil {
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

extension Schema {
  /// The former names of properties of the class and its superclasses, by their new names.
  package var formerNames: [String: String] {
    var all: [String: String] = [:]
    var candidate: AnyClass? = type
    while let type = candidate as? Object.Type {
      all.merge(type.renamed) { nearest, _ in nearest }
      candidate = _getSuperclass(type)
    }
    return all
  }
}
