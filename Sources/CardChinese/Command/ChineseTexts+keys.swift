extension ChineseTexts {
    /// Keys and other secrets, and the files and commands that give them.
    static let keys = #"""
        keys.made = 已创建密钥文件 {1}（权限 0600，密钥 {2}）
        keys.used = 无需其他配置即可使用该密钥
        keys.configure = 在配置中加入：\n  vault:\n    key_file: {1}
        keys.keep_copy = 在别处保存密钥的副本；没有密钥就无法读取沙箱
        keys.no_place = HOME 和 XDG_CONFIG_HOME 都没有说明密钥的位置；给出 --key-file FILE
        keys.in_sandbox = {1} 位于沙箱内，复制沙箱时会连密钥一起复制；用 --key-file FILE 换一个路径
        keys.exist = {1} 已存在，没有替换，因为可能有沙箱需要其中的密钥；用 --key-file FILE 换一个路径
        keys.rotated = {1} 个证件照密钥现在用新密钥 {2} 加密
        keys.finished = 之前有一次密钥轮换没有完成，现已用密钥 {1} 完成；如果要再换密钥，运行：idcard-pipeline keys rotate
        keys.damaged = {1} 个证件照密钥此前已损坏，任何密钥都打不开；查看：idcard-pipeline fsck
        keys.retired = 旧密钥在 {1} 中；只要还保留用旧密钥做的备份，就保留这个文件
        keys.changed_meanwhile = 另一个进程同时更换了密钥，因此这里没有做任何改动；查看密钥文件，然后重新运行
        keys.no_new_key = 没有新密钥；生成一个（openssl rand -base64 32），放在 vault.key 或 vault.key_command 输出中当前密钥的前面，然后重新运行本命令
        keys.missing = 加密的沙箱没有密钥；设置 vault.key_file（IDCARD_VAULT_KEY_FILE）、vault.key（IDCARD_VAULT_KEY）或 vault.key_command，或创建密钥：idcard-pipeline keys init
        keys.made_embedded = 已为 --embedded 的沙箱创建密钥：{1}（权限 0600）；没有这个密钥就无法读取该沙箱
        keys.value = vault.key：{1}；应为：{2}
        keys.file_missing = {1}：密钥文件 {2} 不存在，而新密钥打不开现有沙箱；放回该沙箱的密钥文件，或用 --sandbox DIR 指定新沙箱
        keys.file_not_made = {1}：无法创建 {2}：{3}；更正所在文件夹的权限
        keys.none = 没有密钥
        keys.line_invalid = 第 {1} 行不是密钥
        keys.line_repeated = 第 {1} 行与前面的行重复
        keys.too_many = 密钥超过 {1} 个
        secret.expects_keys = 密钥，每行一个，每个是 32 个随机字节的 Base64（或 64 位十六进制数字）
        secret.expects_one = 一个密钥，没有其他内容
        secret.file = {1}：无法使用 {2}：{3}；文件（权限 0600）中应为：{4}
        secret.not_one_line = 文件是空的，或不止一行
        secret.not_regular = 该文件不是普通文件
        text_file.too_long = 文件超过 {1}
        text_file.not_utf8 = 文件不是 UTF-8 文本
        text_file.silent = 该文件是管道，{1}内没有程序写入
        text_file.unreadable = 无法读取文件：{1}
        secret.command = {1}：{2}；用 /bin/sh -c 手工运行该命令；它应以退出状态 0 结束，并写出：{3}
        secret_command.line = 命令写出的第一行不是密钥
        secret_command.slow = 命令运行超过 {1}
        secret_command.output = 命令的输出无法使用：{1}
        secret_command.not_run = 命令无法运行，或无法读取它的输出
        secret_command.too_long = 命令写出的内容超过 {1}
        secret_command.failed = 命令失败，退出状态 {1}
        secret_command.signal = 命令被信号 {1} 终止
        """#
}
