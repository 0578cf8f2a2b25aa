// log-load: how fast a log in PostgreSQL is, as a server uses it.

import Shell
import Signals
import SignalsPostgreSQL
import SignalsSync

let program = Program(
  "log-load", usage: "--log TARGET… [--seconds NUMBER] [--objects NUMBER]",
  about: """
    Measures a log in PostgreSQL: the time of a commit, the facts of many authors in a second, and the
    first join of many objects. TARGET is a connection string of libpq; several are one log. What it writes is in a schema
    whose name it says; drop it afterwards.
    """)

await program.run { arguments in
  var (targets, seconds, objects) = ([String](), 5.0, 100_000)
  var rest = Array(arguments)[...]
  while let option = rest.popFirst() {
    guard let value = rest.popFirst() else { throw UsageError("\(option) needs a value") }
    switch (option, Double(value)) {
    case ("--log", _): targets.append(value)
    case ("--seconds", let number?): seconds = number
    case ("--objects", let number?): objects = Int(number)
    default: throw UsageError("unknown option \(option) \(value)")
    }
  }
  if targets.isEmpty { throw UsageError("--log is missing") }
  let schema = "load_\(UInt32.random(in: 0...UInt32.max))"
  let log = PostgreSQLLog(targets, schema: schema)
  try Output.write("in the schema \(schema)\n")
  _ = try await log.head(of: "warm")
  try Output.write("one author, one after the other   \(try await commits(in: log, seconds))\n")
  for authors in [16, 256, 2_048] {
    let rate = try await rate(of: authors, in: log, seconds)
    try Output.write("\(pad(authors)) authors, one entry at a time  \(rate) facts/s\n")
  }
  let rate = try await groups(in: log, seconds)
  try Output.write("16 partitions in groups of 100    \(rate) facts/s\n")
  for count in [1, 10, 40] {
    let cost = try await nodes(targets, schema, log, count, seconds)
    try Output.write("\(pad(count)) nodes                       \(cost)\n")
  }
  try Output.write("seen by another server, \(try await seen(targets, schema, log, seconds))\n")
  try Output.write("first join of \(objects) objects   \(try await join(objects, log))\n")
  try await log.close()
}

func pad(_ number: Int) -> String {
  String(repeating: " ", count: max(0, 5 - "\(number)".count)) + "\(number)"
}
