extension ChineseTexts {
    /// Plots of the console.
    static let chart = #"""
        chart.throughput = 已接收、已核验和已送达的证件照
        chart.refusals = 拒绝、失败和待人工处理的证件照，按原因
        chart.admitted = 已接收
        chart.verified = 已核验
        chart.delivered = 已送达
        chart.other = 其他原因
        chart.summary = {1} 至 {2} 的柱状图；最高的柱为 {3}。
        chart.nothing = 这段时间没有证件照。
        chart.numbers = 数据
        chart.time = 时间
        chart.sum = 合计
        """#
}
