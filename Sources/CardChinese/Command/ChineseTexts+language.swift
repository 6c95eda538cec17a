extension ChineseTexts {
    /// The parser's help and errors, and the choice of the language.
    static let language = #"""
        usage.line = 用法：{1}
        usage.arguments = 参数：
        usage.options = 选项：
        usage.subcommands = 子命令：
        usage.more =   更多说明：{1}
        usage.of = 说明：{1}  {2}
        usage.values = （可选值：{1}）
        usage.default = （默认：{1}）
        usage.values_default = （可选值：{1}；默认：{2}）
        parser.unknown_option = 未知选项 {1}
        parser.mistyped_option = 未知选项 {1}；是否要用 {2}？
        parser.missing_value = {1} 缺少值
        parser.missing_argument = 缺少参数 {1}
        parser.unexpected = 多余的参数 {1}
        parser.invalid_value = 值 {1} 不能用于 {2}
        parser.invalid_word = 值 {1} 不能用于 {2}；从 {3} 中选一个
        language.unknown = --lang 的值是 {1}，本程序没有这种语言；从 {2} 中选一个
        language.missing = --lang 缺少值；从 {1} 中选一个
        help.lang.abstract = 显示所用的语言：en 或 zh（简体中文）；可用于每个命令。
        help.lang.discussion = 默认：配置项 language，否则按 LC_ALL、LC_MESSAGES 或 LANG。
        service.verification = 核验服务
        service.backend = 业务后台
        """#
}
