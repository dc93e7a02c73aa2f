import Loop
import Posix

/// A question to the system's DNS-SD service as the loop's thread sees it.
///
/// The question is asked, its answers are fetched and it is ended on the worker; the handler gets
/// the answers on the loop, until ``end()``.
final class DNSServiceQuery {
    private let loop: EventLoop
    private let worker: Worker
    private let handler: (DNSServiceAnswer) -> Void
    private var call: DNSServiceCall?
    private var watch: IOWatch?
    private var isEnded = false

    /// Asks; a failure to ask also comes to the handler, and later.
    init(
        _ question: DNSServiceQuestion, library: DNSServiceLibrary, loop: EventLoop,
        worker: Worker,
        handler: @escaping (DNSServiceAnswer) -> Void
    ) {
        self.loop = loop
        self.worker = worker
        self.handler = handler
        worker.run {
            DNSServiceCall(question, library: library)
        } then: { call in
            self.asked(call)
        }
    }

    /// Ends the question; no answer comes afterwards.
    func end() {
        self.isEnded = true
        self.watch?.cancel()
        self.watch = nil
        guard let call = self.call else { return }
        self.call = nil
        self.worker.run({ call.end() }, then: { _ in })
    }

    private func asked(_ call: DNSServiceCall) {
        guard call.code == 0 else {
            if !self.isEnded { self.handler(.failed(code: call.code)) }
            return
        }
        self.call = call
        guard !self.isEnded else { return self.end() }
        do {
            self.watch = try self.loop.watch(call.descriptor, for: .readable) { [weak self] _ in
                self?.fetch()
            }
        } catch {
            self.end()
            self.handler(.failed(code: -error.code))
        }
    }

    private func fetch() {
        guard let call = self.call else { return }
        // The descriptor stays readable until the worker has come round to it.
        self.watch?.set([])
        self.worker.run {
            call.process()
        } then: { answers in
            for answer in answers where !self.isEnded { self.handler(answer) }
            self.watch?.set(.readable)
        }
    }
}
