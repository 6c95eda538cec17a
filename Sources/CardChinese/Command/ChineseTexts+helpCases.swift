extension ChineseTexts {
    /// Help of tokens, status and cases.
    static let helpCases = #"""
        help.tokens.abstract = 创建、列出和吊销 serve 客户端的令牌。
        help.tokens.discussion = 令牌只在创建时显示一次；令牌文件（server.tokens_file）只存哈希。运行中的服务立即获知改动；如果服务读取的是文件的副本（systemd 的 LoadCredential），要重启后才获知。在服务用户的文件夹中，root 以该用户的身份改动文件。不间断地更换令牌：先创建一个同名的新令牌并交付使用，再按 id 吊销旧令牌。\n\n权限范围：submit（提交证件照）、read（查看自己的证件照，脱敏显示，以及监控指标）、run（启动和查看批处理）、review（查看所有证件照，脱敏显示；重试和处理）、reveal（查看个人信息，需写明用途）、erase（清除）、audit（查看所有证件照，脱敏显示，以及访问日志）、operate（以上全部）。
        help.tokens.add.abstract = 创建令牌，显示一次或写入文件；一个名称可以有几个令牌。
        help.tokens.add.name.abstract = 名称：字母、数字和 ._- 字符；访问日志中会显示。
        help.tokens.add.scope.abstract = 令牌可以做什么：submit、read、run、review、reveal、erase、audit、operate 中的一个或几个。
        help.tokens.add.days.abstract = 有效天数；0 表示在吊销之前一直有效。
        help.tokens.add.output.abstract = 存放令牌的新文件（权限 0600）；此时不再显示令牌。
        help.tokens.add.config.abstract = 指定 server.tokens_file 的配置文件。
        help.tokens.list.abstract = 列出令牌的 id、名称、权限范围和时间，不列出令牌本身。
        help.tokens.list.config.abstract = 指定 server.tokens_file 的配置文件。
        help.tokens.revoke.abstract = 吊销一个名称的全部令牌，或其中一个；运行中的服务立即拒绝它们。
        help.tokens.revoke.name.abstract = 令牌的名称。
        help.tokens.revoke.id.abstract = 要吊销的令牌的 id，与 tokens list 显示的相同。
        help.tokens.revoke.config.abstract = 指定 server.tokens_file 的配置文件。
        help.status.abstract = 显示各状态的证件照数量、需要人工处理的证件照，以及不正常的接口。
        help.cases.abstract = 列出、查看和处理业务：一笔业务是一个业务编号的证件照。
        help.cases.discussion = 业务的状态取下列第一个符合的：decide（有证件照需要人工判断）、failed（有证件照的尝试次数已用完）、retake（有照片被拒绝，需要重拍）、in_progress（处理中）、incomplete（有一面没有送达）、complete（两面都已送达）。
        help.cases.list.abstract = 列出业务，最紧急的状态在前，同一状态中最早的在前。列表为空时不输出任何内容。
        help.cases.list.state.abstract = 只列出处于该状态的业务；可重复使用。
        help.cases.list.since.abstract = 只列出从这一天起，或在这段时间之内进入当前状态的业务。
        help.cases.list.format.abstract = 列表的格式：text、json、jsonl，或供表格软件使用的 csv。
        help.cases.list.files.abstract = 同时列出照片的文件名；需要 --why。
        help.cases.list.files.discussion = 在访问日志中记一行，写明业务的数量。
        help.cases.show.abstract = 查看一笔业务及其证件照。
        help.cases.retry.abstract = 在下次运行时重试一笔业务中需要人工处理的证件照，与 cards retry 相同。
        help.cases.retry.discussion = 退出状态：与 cards retry 相同。
        help.cases.retry.format.abstract = 已更改证件照列表的格式。
        help.cases.resolve.abstract = 对一笔业务中原因相同的证件照作出决定，与 cards resolve 相同。
        help.cases.resolve.discussion = 退出状态：与 cards resolve 相同。
        help.cases.resolve.reason.abstract = 证件照的原因，与 cases show 显示的相同。
        help.cases.resolve.as.abstract = 决定：delivered、resend、accept、reject、seen 或 withdraw。
        help.cases.resolve.format.abstract = 已更改证件照列表的格式。
        help.status.discussion = --check 输出一行：最紧急的问题、从何时开始、处理办法。--check 的退出状态：0 一切正常 · 1 有业务需要人工处理，或有令牌与 webhook 提交方同名 · 2 有接口暂停或停止、有进程没有响应或不处理到期的证件照、serve 不接受任何令牌、磁盘快满了，或沙箱打不开 · 66 没有沙箱 · 78 配置错误。
        help.status.check.abstract = 输出一行，并以 0、1 或 2 结束：供 cron 和监控使用。
        """#
}
