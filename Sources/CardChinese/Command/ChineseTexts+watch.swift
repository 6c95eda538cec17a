extension ChineseTexts {
    /// The command watch.
    static let watch = #"""
        watch.retake = 照片无法使用；重拍
        watch.endpoint_works = {1} {2} 已恢复正常
        watch.folder_problem = 监视文件夹 {1}：{2}
        watch.folder_works = 监视文件夹 {1} 已恢复正常（{2}）
        watch.paused = 暂不导入照片：{1}
        watch.resumed = 已恢复导入照片
        watch.file_stays = 监视文件夹 {1}：有一个文件或链接没有导入，留在原处：{2}
        watch.begins = 正在监视 {1} 个文件夹；按 Ctrl-C 结束
        watch.overdue = {1} 张已过保留期限的证件照尚未清除；下一轮会清除
        watch.sidecar_late = 附属文件来得太晚：它的照片已成为证件照 {1}，而这张证件照已在发送中或已结束；查看：idcard-pipeline cards show {2}
        """#
}
