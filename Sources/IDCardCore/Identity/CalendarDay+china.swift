extension CalendarDay {
    /// The day in China at a time: UTC+8 all the year round, since 1991.
    ///
    /// A time outside the years 1 to 9999 gives the first or the last day of them: a clock gone wrong is no reason to crash.
    package init(inChinaAt time: Timestamp) {
        let hours = time.millisecondsSinceEpoch.flooredQuotient(by: 3_600_000)
        self = CalendarDay(daysSinceEpoch: Int((hours + 8).flooredQuotient(by: 24)))
    }
}

extension Int64 {
    /// Divides rounding down, so that times before 1970 fall on the day they belong to.
    fileprivate func flooredQuotient(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = self.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
