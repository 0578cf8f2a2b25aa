import Foundation
import SignalsPostgreSQL
import SignalsSync
import SignalsTesting

@Suite(.timeLimit(.minutes(5))) struct `A log in PostgreSQL` {
  @Test(arguments: LogScenario.all)
  func `does what each log does`(_ scenario: LogScenario) async throws {
    let log = try await PostgreSQLServer.shared.newLog()
    try await scenario.check(log)
    try await log.close()
  }

  @Test(arguments: LogScenario.all)
  func `does in several databases what each log does`(_ scenario: LogScenario) async throws {
    let log = try await SeveralDatabases().log()
    try await scenario.check(log)
    try await log.close()
  }
}
