/// The reason why something can't be done.
package enum ChatError: Error, Hashable, Sendable {
  case noName
  case nameTooLong
  case noMembers
  case tooManyMembers
  case noUser(String)
  case alreadyMember(String)
  case notMember(String)
  case notAllowed
  case emptyMessage
  case textTooLong
  case photoTooLarge
  case noPlace
  case noDate
  case offline
  case notSaved(String)
}

extension ChatError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .noName: "a name is missing"
    case .nameTooLong: "the name is too long"
    case .noMembers: "a conversation needs at least one other member"
    case .tooManyMembers: "a conversation has at most \(Conversation.memberLimit) members"
    case .noUser(let name): "there is no user called \(name)"
    case .alreadyMember(let name): "\(name) is already part of this chat"
    case .notMember(let name): "\(name) is not part of this chat"
    case .notAllowed: "only its author or owner may do this"
    case .emptyMessage: "a message needs a text, a photo or a place"
    case .textTooLong: "the text is too long"
    case .photoTooLarge: "the photo is larger than 1 MB"
    case .noPlace: "the place isn't on earth"
    case .noDate: "the date isn't of this age"
    case .offline: "this needs a connection"
    case .notSaved(let reason): reason
    }
  }
}
