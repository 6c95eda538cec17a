import IDCardCore
import Synchronization

/// Where the loops of the engine learn that there may be work, and the engine that there is none left.
///
/// Every lane has a generation that grows whenever new work may exist. A loop notes the generation, looks for work, and
/// parks on the generation it noted: work announced in between wakes it at once, so no wake-up is lost and nothing is
/// polled. One that had no free place, or was not let through, is woken by the end of what is under way, too.
final class WorkBoard: Sendable {
    private struct LaneState {
        var generation: UInt64 = 0
        var inFlight = 0
        /// How many pieces of work have ended.
        var ended: UInt64 = 0
        /// Where the loop is parked, if it is.
        var parking: Parking?
        /// When a parked loop will look again by itself.
        var nextDue: Timestamp?

        /// Whether the loop is parked and nothing has happened that will wake it.
        var isResting: Bool { self.parking.map { self.confirms($0) } ?? false }

        /// Whether what a loop parks on still holds.
        func confirms(_ parking: Parking) -> Bool {
            self.generation == parking.generation && parking.ended.map { self.ended == $0 } ?? true
        }
    }

    /// What a loop noted before it looked for work.
    struct Parking: Hashable, Sendable {
        /// The generation of its lane.
        var generation: UInt64
        /// How many pieces had ended; `nil` once it has seen that there is no work, however many places become free.
        var ended: UInt64?
    }

    private struct Waiter {
        var isSatisfied: @Sendable (State) -> Bool
        var continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var lanes: [Lane: LaneState] = Dictionary(uniqueKeysWithValues: Lane.allCases.map { ($0, LaneState()) })
        var intakeHasEnded = false
        var inputsAreKnown = false
        var isSwept = false
        var isDraining = false
        /// How many inputs of a service are being taken in.
        var taking = 0
        var lastWaiter: UInt64 = 0
        var waiters: [UInt64: Waiter] = [:]

        var isQuiet: Bool { self.isSwept && self.isResting }

        var isResting: Bool {
            self.intakeHasEnded
                && self.lanes.values.allSatisfy { $0.inFlight == 0 && $0.isResting }
        }

        /// Takes out the waiters whose condition holds now.
        mutating func satisfiedWaiters() -> [CheckedContinuation<Void, Never>] {
            let satisfied = self.waiters.filter { $0.value.isSatisfied(self) }
            for key in satisfied.keys { self.waiters[key] = nil }
            return satisfied.values.map(\.continuation)
        }
    }

    private let state = Mutex(State())

    /// Announces that there may be new work in some lanes.
    func announce(_ lanes: Lane...) {
        self.change { state in
            for lane in lanes { state.lanes[lane, default: LaneState()].generation += 1 }
        }
    }

    /// Notes, for the rules, that no further input will come; the board is not quiet before `endIntake(announcing:)`.
    func inputsAreIn() {
        self.change { $0.inputsAreKnown = true }
    }

    /// Notes that intake has ended, and in the same instant that there may be new work: else the board might seem quiet in between.
    func endIntake(announcing lanes: Lane...) {
        self.change { state in
            state.intakeHasEnded = true
            for lane in lanes { state.lanes[lane, default: LaneState()].generation += 1 }
        }
    }

    /// Notes that what has outlived its retention was looked at; the board is not quiet before.
    func swept() {
        self.change { $0.isSwept = true }
    }

    /// Waits until intake has ended, the board drains, or the task is cancelled.
    func waitUntilIntakeEnds() async {
        await self.wait { $0.intakeHasEnded || $0.isDraining }
    }

    /// Asks everybody to begin nothing more, and wakes the loops that are parked.
    func drain() {
        self.change { $0.isDraining = true }
    }

    /// Waits until the board drains, or the task is cancelled.
    func waitUntilDraining() async {
        await self.wait { $0.isDraining }
    }

    /// Waits until the board drains, a time is reached, or the task is cancelled.
    func waitUntilDraining(or due: Timestamp, time: PipelineTime) async {
        await self.wait(until: due, time: time) { $0.isDraining }
    }

    /// Notes that a service begins to take an input in; throws if nothing more is to begin.
    func beginTaking() throws(CancellationError) {
        let isDraining = self.state.withLock { state in
            if !state.isDraining { state.taking += 1 }
            return state.isDraining
        }
        if isDraining { throw CancellationError() }
    }

    /// Notes that an input is taken in, or was given up.
    func endTaking() {
        self.change { $0.taking -= 1 }
    }

    /// Waits until the board drains and no input is being taken in any more, or the task is cancelled.
    func waitUntilNothingIsTaken() async {
        await self.wait { $0.isDraining && $0.taking == 0 }
    }

    /// How many pieces of work that call an endpoint are under way.
    var requestsUnderWay: Int {
        self.state.withLock { state in (state.lanes[.verify]?.inFlight ?? 0) + (state.lanes[.deliver]?.inFlight ?? 0) }
    }

    /// Whether nothing more is to begin.
    var isDraining: Bool { self.state.withLock { $0.isDraining } }

    /// Throws if nothing more is to begin: work that is claimed and has not called its endpoint is given up.
    func checkMayBegin() throws(CancellationError) {
        if self.isDraining { throw CancellationError() }
    }

    /// Notes that a piece of work has begun.
    func began(_ lane: Lane) {
        self.change { $0.lanes[lane, default: LaneState()].inFlight += 1 }
    }

    /// Notes that a piece of work has ended, which frees a slot of its lane.
    ///
    /// - Parameter isNews: whether its loop is to look for work, even if it had seen that there was none.
    func ended(_ lane: Lane, isNews: Bool) {
        self.change { state in
            state.lanes[lane, default: LaneState()].inFlight -= 1
            state.lanes[lane, default: LaneState()].ended += 1
            if isNews { state.lanes[lane, default: LaneState()].generation += 1 }
        }
    }

    /// What a loop notes before it looks for work.
    func parking(of lane: Lane) -> Parking {
        self.state.withLock { state in
            let lane = state.lanes[lane] ?? LaneState()
            return Parking(generation: lane.generation, ended: lane.ended)
        }
    }

    /// How many pieces of work of a lane are under way.
    func inFlight(of lane: Lane) -> Int {
        self.state.withLock { $0.lanes[lane]?.inFlight ?? 0 }
    }

    /// Whether nothing is under way, or may begin at once, that could bring a lane more work.
    func isQuiet(before lane: Lane, at now: Timestamp) -> Bool {
        self.state.withLock { state in
            state.intakeHasEnded && state.taking == 0
                && Lane.allCases.prefix { $0 != lane }.allSatisfy { earlier in
                    state.lanes[earlier].map { lane in
                        // One that is due has only not woken yet.
                        lane.inFlight == 0 && lane.isResting && lane.nextDue.map { $0 > now } ?? true
                    } ?? true
                }
        }
    }

    /// How many loops are parked.
    var parkedLanes: Int { self.state.withLock { state in state.lanes.values.count { $0.parking != nil } } }

    /// Whether no further input will come, as the rules see it.
    var inputsHaveEnded: Bool { self.state.withLock { $0.inputsAreKnown } }

    /// Whether intake has ended and nothing is under way, but for erasing what has expired.
    var isResting: Bool { self.state.withLock { $0.isResting } }

    /// Whether anything is under way, as of one instant.
    enum Activity: Hashable, Sendable {
        /// Something is, or may begin at once.
        case busy
        /// Nothing is; the first parked loop will look again by itself at `nextDue`, if ever.
        case quiet(nextDue: Timestamp?)
    }

    /// Whether anything is under way now.
    var activity: Activity {
        self.state.withLock { state in
            state.isQuiet ? .quiet(nextDue: state.lanes.values.compactMap(\.nextDue).min()) : .busy
        }
    }

    /// Parks a loop until what it noted holds no more, the time `due` is reached, the board drains, or the task is
    /// cancelled.
    func park(_ lane: Lane, at parking: Parking, until due: Timestamp?, time: PipelineTime) async {
        self.change { state in
            state.lanes[lane]?.parking = parking
            state.lanes[lane]?.nextDue = due
        }
        await self.wait(until: due, time: time) { $0.isDraining || $0.lanes[lane]?.confirms(parking) != true }
        self.change { state in
            state.lanes[lane]?.parking = nil
            state.lanes[lane]?.nextDue = nil
        }
    }

    /// Waits until intake has ended, retention was looked at, and every lane is parked with nothing under way.
    func waitUntilQuiet(time: PipelineTime) async {
        await self.wait(until: nil, time: time) { $0.isQuiet }
    }

    /// Waits until something moves again, or a time is reached.
    func waitUntilBusy(or due: Timestamp, time: PipelineTime) async {
        await self.wait(until: due, time: time) { !$0.isQuiet }
    }

    // MARK: Waiting

    private func change(_ body: (inout State) -> Void) {
        let awakened = self.state.withLock { state in
            body(&state)
            return state.satisfiedWaiters()
        }
        for continuation in awakened { continuation.resume() }
    }

    private func wait(
        until due: Timestamp?,
        time: PipelineTime,
        for condition: @escaping @Sendable (State) -> Bool
    ) async {
        guard let due else { return await self.wait(for: condition) }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.wait(for: condition) }
            // Fallback of a cancelled sleep: the group is cancelled, so the wait has ended anyway.
            group.addTask { try? await time.sleep(due) }
            await group.next()
            group.cancelAll()
        }
    }

    private func wait(for condition: @escaping @Sendable (State) -> Bool) async {
        let key = self.state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDone = self.state.withLock { state in
                    if Task.isCancelled || condition(state) { return true }
                    state.waiters[key] = Waiter(isSatisfied: condition, continuation: continuation)
                    return false
                }
                if isDone { continuation.resume() }
            }
        } onCancel: {
            self.state.withLock { $0.waiters.removeValue(forKey: key) }?.continuation.resume()
        }
    }
}
