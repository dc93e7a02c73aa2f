import CMicroHTTP
import ControlAPI
import Glibc
import Posix
import Web

/// Writing answers.
extension HTTPServer {
    func queue(_ exchange: Exchange, _ connection: OpaquePointer) -> MHD_Result {
        guard let answer = exchange.answer else { return .NO }
        var status: UInt32 = 200
        var headers = WebHeaders.all(host: self.host)
        let response: OpaquePointer?
        switch answer {
        case .text(let code, let text):
            status = code
            headers.append(("Content-Type", "text/plain; charset=utf-8"))
            response = Self.response(Array(text.utf8))
        case .json(let json):
            headers.append(("Content-Type", "application/json"))
            response = Self.response(json.bytes)
        case .asset(let asset):
            headers.append(("Content-Type", asset.type))
            response = Self.response(asset.bytes)
        case .content(let delivery, let size, let kind):
            if let kind {
                headers.append(("Content-Type", kind.type))
                headers.removeAll { $0.0 == "Content-Security-Policy" }
                headers.append(WebHeaders.file[0])
            } else {
                headers.removeAll { $0.0 == "Content-Security-Policy" }
                headers += WebHeaders.file
                headers.append(("Content-Type", "application/octet-stream"))
            }
            response = self.response(delivery, size: size, connection)
        case .file(let descriptor, let size):
            headers += WebHeaders.file
            headers.append(("Content-Type", "application/octet-stream"))
            // The library closes what it is given.
            response = MHD_create_response_from_fd64(size, dup(descriptor))
        case .upgrade(let accept):
            status = UInt32(MHD_HTTP_SWITCHING_PROTOCOLS)
            headers = [("Upgrade", "websocket"), ("Sec-WebSocket-Accept", accept)]
            response = MHD_create_response_for_upgrade(
                { server, _, _, bytes, count, socket, handle in
                    HTTPServer.upgraded(server, socket, bytes, count, handle)
                }, Unmanaged.passUnretained(self).toOpaque())
        }
        guard let response else { return .NO }
        for (name, value) in headers { MHD_add_response_header(response, name, value) }
        let result = MHD_queue_response(connection, status, response)
        MHD_destroy_response(response)
        return result
    }

    private static func response(_ bytes: [UInt8]) -> OpaquePointer? {
        bytes.withUnsafeBytes {
            MHD_create_response_from_buffer(
                $0.count, UnsafeMutableRawPointer(mutating: $0.baseAddress), .RESPMEM_MUST_COPY)
        }
    }

    /// Content as it comes: where none is there, the connection rests until there is.
    private final class Stream {
        let delivery: PipedContent
        let server: HTTPServer
        let connection: OpaquePointer

        init(_ delivery: PipedContent, _ server: HTTPServer, _ connection: OpaquePointer) {
            (self.delivery, self.server, self.connection) = (delivery, server, connection)
        }

        func read(_ room: UnsafeMutableRawBufferPointer) -> Int {
            switch self.delivery.read(into: room) {
            case .bytes(let count): return count
            // Fewer than were promised: MHD_CONTENT_READER_END_WITH_ERROR.
            case .end, .broken: return -2
            case .later:
                MHD_suspend_connection(self.connection)
                self.delivery.whenReady { [server, connection] in server.resume(connection) }
                return 0
            }
        }
    }

    private func response(
        _ delivery: PipedContent, size: Int64, _ connection: OpaquePointer
    ) -> OpaquePointer? {
        let stream = Stream(delivery, self, connection)
        return MHD_create_response_from_callback(
            UInt64(max(0, size)), 65_536,
            { stream, _, room, count in
                guard let stream, let room else { return -2 }
                return Unmanaged<Stream>.fromOpaque(stream).takeUnretainedValue().read(
                    UnsafeMutableRawBufferPointer(start: room, count: count))
            }, Unmanaged.passRetained(stream).toOpaque(),
            { stream in
                if let stream { Unmanaged<Stream>.fromOpaque(stream).release() }
            })
    }

    private static func upgraded(
        _ server: UnsafeMutableRawPointer?, _ socket: Int32, _ bytes: UnsafePointer<CChar>?,
        _ count: Int, _ handle: OpaquePointer?
    ) {
        guard let handle else { return }
        let server = HTTPServer.from(server)
        // What came with the request, before the page knew that it is answered.
        let early = [UInt8](UnsafeRawBufferPointer(start: bytes, count: count))
        server.adopt(socket, early) { cmicrohttp_close(handle) }
    }
}
