extension ChineseTexts {
    /// What stands before and after the messages of a command.
    static let console = #"""
        console.error = 错误：{1}
        console.warning = 警告：{1}
        console.note = 提示：{1}
        console.left_out = 这里缺少 {1} 行，因为读取输出的程序太慢
        output.failed = 无法写入标准输出：{1}；{2}
        output.saved = 工作结果已保存
        output.unforeseen = 意外错误（{1} {2}）；已完成的工作安全保存在沙箱中；重新运行同一命令，如果再次失败，报告此代码
        output.skipped = 因文件名而跳过的文件：{1}
        output.skipped_in_source = 来源 {1}：因文件名而跳过的文件：{2}
        output.skipped_in_folder = 监视文件夹 {1}：因文件名而跳过的文件：{2}
        """#
}
