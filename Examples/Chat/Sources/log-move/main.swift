// log-move: moves partitions between the databases of a log, while they are in use.

import Shell
import SignalsPostgreSQL
import SignalsSync

let program = Program(
  "log-move", usage: "--log TARGET --log TARGET… [PARTITION [NUMBER]]",
  about: """
    Moves the partition to the database with the number, counted from 0 in the order of the targets, or
    says where it is. Without a partition, all are spread over the databases by their names, as after a
    database was added. Servers and devices go on meanwhile.
    """)

await program.run { arguments in
  var (targets, words) = ([String](), [String]())
  var rest = Array(arguments)[...]
  while let next = rest.popFirst() {
    if next == "--log" {
      guard let target = rest.popFirst() else { throw UsageError("--log needs a value") }
      targets.append(target)
    } else if next.hasPrefix("--") {
      throw UsageError("unknown option \(next)")
    } else {
      words.append(next)
    }
  }
  if targets.count < 2 { throw UsageError("a move needs two databases") }
  if words.count > 2 { throw UsageError("\(words[2]) is one word too many") }
  var number: Int?
  if words.count == 2 {
    number = Int(words[1])
    guard let number, targets.indices.contains(number) else {
      throw UsageError("\"\(words[1])\" isn't a database: they are 0 to \(targets.count - 1)")
    }
  }
  let log = PostgreSQLLog(targets) { number, status in
    if case .disconnected(let reason) = status { program.say("database \(number): \(reason)") }
  }
  if let name = words.first {
    let partition = Partition(name)
    if let number { try await log.move(partition, to: number) }
    try Output.write("\(name) is in database \(try await log.database(of: partition))\n")
  } else {
    try Output.write("\(try await log.spread()) partitions were moved\n")
  }
  try await log.close()
}
