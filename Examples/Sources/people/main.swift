// people [CHANGES [SEED]]: a course on screen while another actor changes it; prints every hundredth frame.

import Foundation
import PeopleApp
import Signals

let arguments = CommandLine.arguments.dropFirst().map { Int($0) }
guard arguments.count < 3, !arguments.contains(nil), (arguments.first ?? 0) ?? 0 >= 0 else {
  print("people: say people [CHANGES [SEED]], both numbers")
  exit(1)
}
let changes = (arguments.first ?? nil) ?? 1000
let seed = UInt64(bitPattern: Int64((arguments.dropFirst().first ?? nil) ?? 1))

let store = Store()
let office = Office(store.snapshot(), seed: seed)
let renderer = TextRenderer()
let host = ViewHost(store, renderer: renderer) { CourseScreen(number: 1) }

for number in stride(from: 0, to: changes, by: 100) {
  for change in try await office.work(min(100, changes - number)) { try store.apply(change) }
  print("> after \(min(number + 100, changes))\n\(renderer.text)\n")
}
