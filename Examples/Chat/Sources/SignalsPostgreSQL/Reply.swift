import CPostgreSQL

/// The rows with which the server has answered a statement.
///
/// Unchecked, and safe: libpq changes a result only while it receives it, and reads of it don't change it.
@safe
final class Reply: @unchecked Sendable {
  private let result: OpaquePointer

  /// Takes over a result.
  init(_ result: OpaquePointer) { unsafe self.result = result }

  deinit { unsafe PQclear(result) }

  /// The number of rows.
  var count: Int { unsafe Int(PQntuples(result)) }

  /// Returns the bytes in a column of a row, or `nil` if there are none.
  func bytes(_ row: Int, _ column: Int) -> [UInt8]? {
    let (row, column) = (Int32(row), Int32(column))
    if unsafe PQgetisnull(result, row, column) != 0 { return nil }
    let size = unsafe Int(PQgetlength(result, row, column))
    guard size > 0, let start = unsafe PQgetvalue(result, row, column) else { return [] }
    return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: size))
  }

  /// Returns the bytes in a column of all rows, one after the other.
  func joined(_ column: Int) -> [UInt8] {
    var all: [UInt8] = []
    for row in 0..<count { all += bytes(row, column) ?? [] }
    return all
  }

  /// Returns the `bigint` in a column of a row, or `nil` if there is none.
  func integer(_ row: Int, _ column: Int) -> Int64? {
    guard let bytes = bytes(row, column), bytes.count == 8 else { return nil }
    return bytes.reduce(0) { $0 << 8 | Int64($1) }
  }
}

/// An error with which the server has answered.
struct ServerError: Error {
  /// The code, as in the appendix of PostgreSQL's documentation.
  let code: String
  /// The message, without a location.
  let message: String

  /// Reads the error of a result.
  @safe init(_ result: OpaquePointer?) {
    // The fields of an error are named by letters.
    code = unsafe PQresultErrorField(result, 67).map { unsafe String(cString: $0) } ?? ""
    let primary = unsafe PQresultErrorField(result, 77).map { unsafe String(cString: $0) }
    let text = unsafe primary ?? String(cString: PQresultErrorMessage(result))
    message = text.isEmpty ? "an unknown error" : text
  }

  /// Whether the same statements may succeed at once, because others were in their way.
  var isOfOrder: Bool { code.hasPrefix("40") }

  /// Whether the statement names what doesn't exist.
  var isOfMissingObject: Bool { code == "42704" }

  /// Whether the server ends the connection, or is one that doesn't take writes any more.
  var endsConnection: Bool { code.hasPrefix("57P") || code.hasPrefix("08") || code == "25006" }

  /// Whether the server has no space left.
  var isOfSpace: Bool { code == "53100" }
}
