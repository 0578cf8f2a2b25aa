package import Foundation
package import Signals

/// A field of each kind.
package final class Sample: Object {
  @Field package var byte: UInt8 = 0
  @Field package var double = 0.0
  @Field package var flag = false
  @Field package var text = ""
  @Field package var data = Data()
  @Field package var date = Date(timeIntervalSince1970: 0)
  @Field package var uuid = UUID()
  @Field package var url: URL?
  @Field package var maybe: Int?
  @Field package var doubly: Int??
  @Field package var shape = Shape.point
  @Field package var nested = Nested()
  @Field package var numbers: [Int] = []
  @Field package var words: Set<String> = []
  @Field package var settings: [String: String] = [:]
  @Field package var deep: [String: [Size]] = [:]
  @Field package var pairs: [Nested] = []

  package var summary: String {
    get { "\(text) \(numbers.count)" }
    set { text = newValue }
  }
}

package enum Shape: Codable, Equatable, Sendable {
  case point
  case circle(radius: Double)
  case named(String, Size)
}

package struct Nested: Codable, Equatable, Sendable {
  package struct Inner: Codable, Equatable, Sendable {
    package var sizes: [Size] = []

    package init(sizes: [Size] = []) { self.sizes = sizes }
  }
  package var name = ""
  package var inner = Inner()

  package init(name: String = "", inner: Inner = Inner()) {
    (self.name, self.inner) = (name, inner)
  }
}
