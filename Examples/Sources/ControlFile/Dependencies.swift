/// Appends the groups of one dependency field to `groups`.
///
/// Commas separate groups and bars alternatives. A name ends at white space or at what opens a
/// version `(`, an architecture `:` or `[`, or a build profile `<`. Empty alternatives, as a
/// trailing comma leaves them, are dropped, and so are groups of nothing else.
func appendDependencies(of field: ArraySlice<UInt8>, to groups: inout [[ScalarText]]) {
  var group: [ScalarText] = []
  var start = field.startIndex
  while start < field.endIndex {
    var end = start
    while end < field.endIndex, field[end] != UInt8(ascii: ","), field[end] != UInt8(ascii: "|") {
      end += 1
    }
    let name = dependencyName(field[start..<end])
    if !name.isEmpty {
      group.append(ScalarText(String(decoding: name, as: UTF8.self)))
    }
    if end == field.endIndex || field[end] == UInt8(ascii: ",") {
      if !group.isEmpty { groups.append(group) }
      group.removeAll()
    }
    start = end + 1
  }
  // A bar at the very end leaves its group open.
  if !group.isEmpty { groups.append(group) }
}

/// Returns the name at the beginning of an alternative.
private func dependencyName(_ alternative: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
  let start = alternative.firstIndex { !ASCII.isWhite($0) } ?? alternative.endIndex
  let tail = alternative[start...]
  return tail.prefix { byte in
    switch byte {
    case UInt8(ascii: "("), UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "<"): false
    default: !ASCII.isWhite(byte)
    }
  }
}

/// The dependencies of one package, told apart by whether the file has them.
public struct ResolvedDependencies: Equatable, Sendable {
  /// The places in `ControlFile.packages` of the packages depended on, in order of first mention.
  ///
  /// All alternatives of a group that the file has are in it, each package once.
  public var links: [Int]

  /// The first name of each group of which the file has no alternative, sorted, each once.
  public var unresolved: [ScalarText]

  /// Makes a value, by default that of a package without dependencies.
  public init(links: [Int] = [], unresolved: [ScalarText] = []) {
    self.links = links
    self.unresolved = unresolved
  }
}

extension ControlFile {
  /// Resolves the dependencies of all packages, in the order of `packages`.
  ///
  /// - Complexity: one dictionary look-up for each alternative.
  public func resolvedDependencies() -> [ResolvedDependencies] {
    var places: [ScalarText: Int] = Dictionary(minimumCapacity: packages.count)
    for (place, package) in packages.enumerated() { places[package.name] = place }
    // The package that linked to each place last: tells a second mention without a set for each.
    var lastUser = [Int](repeating: -1, count: packages.count)
    return packages.indices.map { user in
      var resolved = ResolvedDependencies()
      for group in packages[user].dependencies {
        var isPresent = false
        for name in group {
          guard let place = places[name] else { continue }
          isPresent = true
          if lastUser[place] != user {
            lastUser[place] = user
            resolved.links.append(place)
          }
        }
        if !isPresent { resolved.unresolved.append(group[0]) }
      }
      if resolved.unresolved.count > 1 {
        resolved.unresolved = Set(resolved.unresolved).sorted()
      }
      return resolved
    }
  }
}
