/// A JSON value with the part at a path, which is of names and numbers, replaced.
package func replacing(_ value: Any, at path: ArraySlice<Any>, by new: Any) -> Any {
  guard let first = path.first else { return new }
  if var object = value as? [String: Any], let key = first as? String, let part = object[key] {
    object[key] = replacing(part, at: path.dropFirst(), by: new)
    return object
  }
  guard var list = value as? [Any], let index = first as? Int else { return value }
  list[index] = replacing(list[index], at: path.dropFirst(), by: new)
  return list
}
