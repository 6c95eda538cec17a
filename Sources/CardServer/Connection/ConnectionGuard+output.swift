import HTTPTypes
import NIOCore
import NIOHTTP1

extension ConnectionGuard {
    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard let signal = event as? ConnectionSignal else {
            return context.triggerUserOutboundEvent(event, promise: promise)
        }
        promise?.succeed()
        // If another request has arrived, the body of the one that is being answered is complete.
        let isInItsBody = self.progress.isInBody && self.progress.unanswered == 1
        switch signal {
        case .authenticated(let subject): self.server.register.recordAuthenticated(context.channel, as: subject)
        case .readsBody: self.sendContinue(context)
        case .limitsBody(let time) where isInItsBody:
            self.progress.limitBody(until: Self.now + time)
            self.schedule()
        case .endsBody(let problem) where isInItsBody: self.endBody(context, problem)
        case .limitsBody, .endsBody: break
        }
    }

    private func sendContinue(_ context: ChannelHandlerContext) {
        guard self.awaitsContinue else { return }
        self.awaitsContinue = false
        let head = HTTPResponseHead(version: .http1_1, status: .continue)
        context.writeAndFlush(self.wrapOutboundOut(.head(head)), promise: nil)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch self.unwrapOutboundIn(data) {
        case .head(var head):
            self.progress.beginAnswer(at: Self.now)
            self.hasFinalHead = true
            let isLast = self.progress.isInBody && self.progress.unanswered == 1
            if isLast || head.headers["connection"].contains("close") { self.progress.close(after: 1) }
            if self.progress.endsWithAnswer { head.headers.replaceOrAdd(name: "connection", value: "close") }
            context.write(self.wrapOutboundOut(.head(head)), promise: promise)
        case .body: context.write(data, promise: promise)
        case .end:
            self.hasFinalHead = false
            let ending = self.progress.endAnswer()
            let flushed = promise ?? context.eventLoop.makePromise()
            flushed.futureResult.assumeIsolated().whenComplete { _ in self.answered(ending) }
            context.write(data, promise: flushed)
        }
        self.schedule()
    }

    /// Continues after an answer was flushed.
    private func answered(_ ending: ConnectionProgress.Ending) {
        guard let context = self.context else { return }
        self.progress.flush(at: Self.now)
        switch self.progress.endsWhenFlushed && ending == .next ? .close : ending {
        case .next: self.schedule()
        case .close: context.close(promise: nil)
        case .linger: self.linger(context)
        }
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        // By closing the output alone, Hummingbird says that it has written everything; the guard decides how to close.
        guard mode == .output, self.progress.lingersSince == nil else {
            return context.close(mode: mode, promise: promise)
        }
        if self.progress.isInBody {
            promise?.succeed()
            self.linger(context)
        } else if self.progress.isWriting {
            promise?.succeed()
            self.progress.endsWhenFlushed = true
        } else {
            context.close(mode: .all, promise: promise)
        }
    }

    /// Discards input for a while before the connection closes, so that the client can read the answer.
    func linger(_ context: ChannelHandlerContext) {
        self.progress.linger(at: Self.now)
        // TLS cannot close one direction alone.
        if self.server.certificate == nil { context.close(mode: .output, promise: nil) }
        context.read()
        self.schedule()
    }

    /// Answers input that never becomes a request, and closes the connection.
    ///
    /// - Parameter request: the head of the refused request if it is complete: then it is the last one counted.
    func refuse(_ problem: Problem, at request: HTTPRequestHead? = nil) {
        guard let context = self.context, self.progress.lingersSince == nil else { return }
        let before = self.progress.unanswered - (request == nil ? 0 : 1)
        guard before == 0, !self.hasFinalHead else {
            // The requests before it are answered first; later ones are not.
            self.progress.ignoresInput = true
            return self.progress.close(after: before)
        }
        let id = RequestRecord.newID()
        self.server.onRefusal(problem.code, id)
        let body = problem.document(requestID: id)
        var fields = problem.fields
        for (name, value) in Envelope.fixedFields { fields[name] = value }
        fields[.requestID] = id
        fields[.contentLength] = "\(body.readableBytes)"
        fields[.connection] = "close"
        let head = HTTPResponseHead(
            version: .http1_1,
            status: .init(statusCode: problem.code.status.code),
            headers: HTTPHeaders(fields.map { ($0.name.rawName, $0.value) })
        )
        context.write(self.wrapOutboundOut(.head(head)), promise: nil)
        if request?.method != .HEAD { context.write(self.wrapOutboundOut(.body(.byteBuffer(body))), promise: nil) }
        context.writeAndFlush(self.wrapOutboundOut(.end(nil)), promise: nil)
        self.linger(context)
    }
}

// MARK: Deadlines

extension ConnectionGuard {
    /// Sets the timer for the next deadline: one timer a connection, which checks the deadline again when it fires.
    func schedule() {
        guard let context = self.context, context.channel.isActive, let deadline = self.progress.deadline else {
            return
        }
        // A timer that fires too early costs nothing; most deadlines only move later.
        if let timer = self.timer, timer.at <= deadline.at { return }
        self.timer?.task.cancel()
        let delay = max(.zero, deadline.at - Self.now)
        let task = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(delay)) { self.timerFired() }
        self.timer = (task, deadline.at)
    }

    private func timerFired() {
        self.timer = nil
        guard let context = self.context else { return }
        guard let deadline = self.progress.deadline, deadline.at <= Self.now else { return self.schedule() }
        switch deadline.overdue {
        case .silence, .answer: context.close(promise: nil)
        case .head: self.refuse(Problem(.headTimeout))
        case .body: self.endBody(context, Problem(.bodyTimeout, endsConnection: true))
        }
    }

    /// Stops waiting for the rest of a body. Its handler, which reads the body, answers the request; without a handler, the
    /// connection closes without an answer.
    private func endBody(_ context: ChannelHandlerContext, _ problem: Problem) {
        self.progress.closeAfterAnswers()
        self.progress.abortBody(at: Self.now)
        context.fireErrorCaught(problem)
        self.schedule()
    }
}
