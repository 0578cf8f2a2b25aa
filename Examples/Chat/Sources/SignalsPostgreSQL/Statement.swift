/// The statements of the log, which each connection prepares.
///
/// Those that are sent together are one transaction.
enum Statement: String, CaseIterable, Sendable {
  case head, heads, create, lock, present, append, entries
  case snapshot, lockSnapshot, setSnapshot, clearSnapshot, addSnapshotPart, truncate

  /// The channel on which appends to idle partitions are announced, by the names' UTF-8 in hexadecimal digits.
  static let channel = "signals_log"

  /// The text with its parameters.
  var text: String {
    switch self {
    // $1: name
    case .head: "SELECT head, chain FROM partitions WHERE name = $1::bytea"

    // $1: names
    case .heads: "SELECT name, head FROM partitions WHERE name = ANY ($1::bytea[])"

    // $1: names
    case .create:
      """
      INSERT INTO partitions (name) SELECT name FROM unnest($1::bytea[]) name ORDER BY name
      ON CONFLICT DO NOTHING
      """

    // Locked in the order of the names, so that two appends don't wait for each other.
    // $1: names
    case .lock:
      """
      SELECT FROM partitions WHERE name = ANY ($1::bytea[]) ORDER BY name FOR UPDATE
      """

    // The heads, and the chain after the last entry to append, if there is one at its position. Not in the
    // statement that locks, which sees other tables as they were before it had to wait.
    // $1: names, $2: positions of the last entries
    case .present:
      """
      SELECT p.name, p.head, p.chain,
        (SELECT e.chain FROM entries e WHERE e.partition = p.id AND e.position = i.last)
      FROM partitions p JOIN unnest($1::bytea[], $2::bigint[]) i (name, last) ON i.name = p.name
      """

    // The entries of a call are added if all of its partitions have the expected heads. Listeners are notified
    // of partitions that were idle, because a notification takes a lock of the whole database at the commit.
    // $1: names, $2: numbers of their calls, $3, $4: expected heads, $5, $6: heads after the entries; of each
    // entry $7: the place of its partition in $1, $8: position, $9: chain after it, $10: content
    case .append:
      """
      WITH input AS (
        SELECT i.call, i.head, i.chain, p.id,
          p.touched NOT BETWEEN clock_timestamp() - interval '1 second' AND clock_timestamp() AS idle
        FROM unnest(
          $1::bytea[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[])
          i (name, call, old, old_chain, head, chain)
        LEFT JOIN partitions p ON p.name = i.name AND p.head = i.old AND p.chain = i.old_chain
      ), whole AS (
        SELECT call FROM input GROUP BY call HAVING count(id) = count(*)
      ), moved AS (
        UPDATE partitions p SET head = i.head, chain = i.chain, touched = clock_timestamp()
        FROM input i JOIN whole w ON w.call = i.call WHERE p.id = i.id
        RETURNING p.id, p.name, i.idle
      ), added AS (
        INSERT INTO entries (partition, position, chain, bytes)
        SELECT m.id, e.position, e.chain, e.bytes
        FROM unnest($7::bigint[], $8::bigint[], $9::bigint[], $10::bytea[])
          e (place, position, chain, bytes)
        JOIN moved m ON m.name = ($1::bytea[])[e.place]
      )
      SELECT pg_notify('\(Statement.channel)', encode(name, 'hex')) FROM moved WHERE idle
      """

    // First the base and the head, then entries of which all but the last have at most $4 bytes.
    // $1: name, $2: position, $3: limit, $4: bytes
    case .entries:
      """
      SELECT 0::bigint, base, head, chain, ''::bytea FROM partitions WHERE name = $1::bytea
      UNION ALL
      (SELECT 1::bigint, position, 0, 0, bytes FROM (
        SELECT position, bytes,
          sum(octet_length(bytes)) OVER (ORDER BY position) - octet_length(bytes) AS before
        FROM (
          SELECT e.position, e.bytes FROM partitions p JOIN entries e ON e.partition = p.id
          WHERE p.name = $1::bytea AND e.position >= $2::bigint
          ORDER BY e.position LIMIT $3::bigint
        ) page
      ) sized WHERE before <= $4::bigint)
      ORDER BY 1, 2
      """

    // $1: name
    case .snapshot:
      """
      SELECT p.snapshot, p.snapshot_chain, s.bytes
      FROM partitions p LEFT JOIN snapshots s ON s.partition = p.id
      WHERE p.name = $1::bytea AND p.snapshot IS NOT NULL ORDER BY s.part
      """

    // The chain at a position is that after the entry before, or the base's.
    // $1: name, $2: position
    case .lockSnapshot:
      """
      SELECT p.base, p.head, p.chain, coalesce(p.snapshot, -1),
        CASE WHEN p.base = $2::bigint THEN p.base_chain ELSE
          (SELECT e.chain FROM entries e WHERE e.partition = p.id AND e.position = $2::bigint - 1)
        END
      FROM partitions p WHERE p.name = $1::bytea FOR UPDATE OF p
      """

    // $1: name, $2, $3: head of the snapshot
    case .setSnapshot:
      """
      UPDATE partitions p SET snapshot = $2::bigint, snapshot_chain = $3::bigint
      WHERE p.name = $1::bytea AND p.base <= $2::bigint AND p.head >= $2::bigint
        AND $3::bigint = CASE WHEN p.base = $2::bigint THEN p.base_chain ELSE
          (SELECT e.chain FROM entries e WHERE e.partition = p.id AND e.position = $2::bigint - 1)
        END
      """

    // Nothing is removed or added if the snapshot was refused.
    // $1: name, $2, $3: head of the snapshot
    case .clearSnapshot:
      """
      DELETE FROM snapshots s USING partitions p WHERE s.partition = p.id AND p.name = $1::bytea
        AND p.snapshot = $2::bigint AND p.snapshot_chain = $3::bigint
      """

    // $1: name, $2, $3: head of the snapshot, $4: number of the part, $5: bytes
    case .addSnapshotPart:
      """
      INSERT INTO snapshots (partition, part, bytes)
      SELECT p.id, $4::bigint, $5::bytea FROM partitions p WHERE p.name = $1::bytea
        AND p.snapshot = $2::bigint AND p.snapshot_chain = $3::bigint
      """

    // $1: name, $2: position
    case .truncate:
      """
      WITH moved AS (
        UPDATE partitions p SET base = $2::bigint, base_chain =
          (SELECT e.chain FROM entries e WHERE e.partition = p.id AND e.position = $2::bigint - 1)
        WHERE p.name = $1::bytea AND p.base < $2::bigint AND p.snapshot >= $2::bigint
        RETURNING p.id
      )
      DELETE FROM entries e USING moved m WHERE e.partition = m.id AND e.position < $2::bigint
      """
    }
  }
}

/// A statement with its parameters.
struct Query: Sendable {
  let statement: Statement
  let parameters: Parameters

  init(_ statement: Statement, _ add: (inout Parameters) -> Void = { _ in }) {
    var parameters = Parameters()
    add(&parameters)
    (self.statement, self.parameters) = (statement, parameters)
  }
}

/// The tables of the log.
///
/// A version of the tables has the steps of all earlier ones and one more.
enum Tables {
  static let steps = [
    """
    CREATE TABLE partitions (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      name bytea NOT NULL UNIQUE,
      head bigint NOT NULL DEFAULT 0,
      chain bigint NOT NULL DEFAULT 0,
      touched timestamptz NOT NULL DEFAULT '-infinity',
      base bigint NOT NULL DEFAULT 0,
      base_chain bigint NOT NULL DEFAULT 0,
      snapshot bigint,
      snapshot_chain bigint
    ) WITH (fillfactor = 50);
    CREATE TABLE entries (
      partition bigint NOT NULL,
      position bigint NOT NULL,
      chain bigint NOT NULL,
      bytes bytea NOT NULL,
      PRIMARY KEY (partition, position)
    );
    CREATE TABLE snapshots (
      partition bigint NOT NULL,
      part bigint NOT NULL,
      bytes bytea NOT NULL,
      PRIMARY KEY (partition, part)
    );
    COMMENT ON COLUMN partitions.name IS 'UTF-8, as convert_from(name, ''UTF8'') shows it';
    """
  ]
}
