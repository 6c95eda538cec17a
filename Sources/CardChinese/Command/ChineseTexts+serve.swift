extension ChineseTexts {
    /// The commands serve and tokens.
    static let serve = #"""
        serve.no_token_accepted = 不接受任何令牌：{1}
        serve.no_client = 还没有客户端可以访问；创建令牌（{1}），或设置 webhooks.secrets
        serve.listening = 正在监听 {1}；按 Ctrl-C 结束
        serve.source_failed = 无法读取来源 {1}：{2}
        serve.secrets_stay = 无法加载新的 webhook 密钥，继续使用原来的：{1}
        serve.certificate_stays = 无法加载新的证书，继续使用原来的：{1}
        tokens.sender_name = {1}：有一个令牌和一个 webhook 提交方（webhooks.secrets）都叫 {2}，两者的证件照会混在一起；吊销该令牌：{3}
        tokens.file_owner = 该文件属于用户 {1}，但所在文件夹属于 root；把文件移到该用户的文件夹，把 server.tokens_file 设为新路径，然后重新运行本命令
        tokens.too_long = 文件会变得过长；吊销不再使用的令牌
        tokens.file = {1}：{2}：{3}
        tokens.no_scope = 缺少 --scope；说明令牌可以做什么
        tokens.unknown_scope = 未知的 --scope {1}；已知的：{2}
        tokens.days = --days 必须是 0 到 3650 的数字（0：吊销前一直有效）
        tokens.id = --id 必须是 8 位十六进制数字的 id，与 `tokens list` 显示的相同
        tokens.written = 令牌已写入 {1}
        tokens.not_shown = 令牌已创建；如果没有显示出来，吊销它
        tokens.shown_once = 现在就保存令牌；以后不再显示
        tokens.expire = 令牌有效至 {1}
        tokens.never_expire = 令牌在吊销之前一直有效
        tokens.active = 运行中的服务会立即使用这一改动，只有一个例外：如果服务读取的是令牌文件的副本（LoadCredential），重启服务
        tokens.unknown_id = 没有这个名称、id 为 {1} 的令牌；列出令牌：{2}
        tokens.unknown_name = 没有这个名称的令牌；列出令牌：{1}
        secret.expects_secrets = 密钥，每行一个
        secret.expects_tokens = 由 `idcard-pipeline tokens add` 创建的令牌
        tokens.no_file = server.tokens_file 没有默认值，因为 HOME 和 XDG_CONFIG_HOME 都没有设置；给出 --tokens-file FILE
        tokens.is_sender = {1} 已是一个 webhook 提交方（webhooks.secrets）的名称，令牌和该提交方的证件照会混在一起；为令牌换一个名称
        """#
}
