// The errors that `init(from:)` gets of its decoder, and their way back.

/// Runs a part of a decoder that user code has called.
///
/// - Throws: A `DecodingError`, as the protocols of decoders document it. Its underlying error is the
///   `ValueCodingError`.
func decodingErrors<Value>(
  _ type: Any.Type, at key: (any CodingKey)? = nil, _ decode: () throws -> Value
) throws -> Value {
  do { return try decode() } catch let error as ValueCodingError {
    let context = DecodingError.Context(
      codingPath: [], debugDescription: "\(error)", underlyingError: error)
    switch error {
    case .missing:
      if let key { throw DecodingError.keyNotFound(key, context) }
      throw DecodingError.valueNotFound(type, context)
    case .mismatch, .outOfRange: throw DecodingError.typeMismatch(type, context)
    default: throw DecodingError.dataCorrupted(context)
    }
  }
}

extension ValueCodingError {
  /// Creates the error of a type's `init(from:)`, which may be the decoder's own error.
  init(_ error: any Error, by type: Any.Type) {
    if let error = error as? ValueCodingError {
      self = error
    } else if let error = (error as? DecodingError)?.context.underlyingError as? ValueCodingError {
      self = error
    } else {
      self = .refused(type: "\(type)", reason: String(describing: error))
    }
  }
}

extension DecodingError {
  fileprivate var context: Context {
    switch self {
    case .typeMismatch(_, let context), .valueNotFound(_, let context),
      .keyNotFound(_, let context), .dataCorrupted(let context):
      context
    @unknown default: Context(codingPath: [], debugDescription: "")
    }
  }
}
