/// A notification as a client reads it.
package enum ServerEvent: Equatable, Sendable {
    case message(MessageEvent)
    case change(ChangeEvent)
    case gap(GapEvent)
    case ended(EndedEvent)
    case transfer(TransferEvent)
    case presence(PresenceEvent)
    case typing(TypingEvent)
    case picture(PictureEvent)
    case list(ListEvent)
    case members(MembersEvent)
    case roster(RosterEvent)
    case missing(MissingEvent)
    case call(CallEvent)
    case stream(StreamEvent)
    case streamError(StreamErrorEvent)
    case streamPiece(StreamPieceEvent)
    /// One that this version does not know.
    case unknown

    package init(_ notification: RPCRequest) {
        let params = notification.params.json ?? .null
        self =
            switch notification.method {
            case MessageEvent.name: .message(.init(reading: params))
            case ChangeEvent.name: .change(.init(reading: params))
            case GapEvent.name: .gap(.init(reading: params))
            case EndedEvent.name: .ended(.init(reading: params))
            case TransferEvent.name: .transfer(.init(reading: params))
            case PresenceEvent.name: .presence(.init(reading: params))
            case TypingEvent.name: .typing(.init(reading: params))
            case PictureEvent.name: .picture(.init(reading: params))
            case ListEvent.name: .list(.init(reading: params))
            case MembersEvent.name: .members(.init(reading: params))
            case RosterEvent.name: .roster(.init(reading: params))
            case MissingEvent.name: .missing(.init(reading: params))
            case CallEvent.name: .call(.init(reading: params))
            case StreamEvent.name: .stream(.init(reading: params))
            case StreamErrorEvent.name: .streamError(.init(reading: params))
            case StreamPieceEvent.name: .streamPiece(.init(reading: params))
            default: .unknown
            }
    }
}
