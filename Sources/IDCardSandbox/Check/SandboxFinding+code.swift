extension SandboxFinding {
    /// What a finding is, for programs.
    package enum Code: String, CaseIterable, Sendable {
        // MARK: The file

        /// SQLite finds the file damaged.
        case databaseDamaged = "database_damaged"
        /// The tables or indexes are not those of this version.
        case schemaDiffers = "schema_differs"
        /// A row names another that is not there.
        case brokenReference = "broken_reference"

        // MARK: Cards

        /// A card whose state needs an image has none.
        case imageMissing = "image_missing"
        /// The image does not open, or is not what its digest says.
        case imageDamaged = "image_damaged"
        /// The size noted beside an image is not the image's.
        case imageSize = "image_size"
        /// A card that is to be prepared or fetched lacks its source bytes or their address.
        case sourceMissing = "source_missing"
        /// The source bytes do not open, or are not those that were received.
        case sourceDamaged = "source_damaged"
        /// Source bytes, or their address, are kept longer than they are needed.
        case sourceLeft = "source_left"
        /// A verified card has no reading.
        case readingMissing = "reading_missing"
        /// A verified card has no side.
        case sideMissing = "side_missing"
        /// A card that ended badly does not say why.
        case reasonMissing = "reason_missing"
        /// A value that is not in the clear does not open, or is not what it should be.
        case valueUnreadable = "value_unreadable"
        /// A fingerprint or business number that cannot be.
        case valueImpossible = "value_impossible"
        /// A business number that an earlier version took and that is refused today.
        case businessNumberRefused = "business_no_refused"
        /// Two live cards hold the same bytes under one business number.
        case contentTwice = "content_twice"
        /// Two photos of one side are being delivered at the same time.
        case sideTwice = "side_twice"
        /// A tombstone still holds data of the person.
        case erasedRemnant = "erased_remnant"
        /// A card is erased, but not everything that goes with it is done.
        case erasureUnfinished = "erasure_unfinished"
        /// The next place in the order of intake is taken already.
        case intakeOrderBehind = "intake_order_behind"

        // MARK: Histories

        /// A card has no history.
        case historyMissing = "history_missing"
        /// The last line of a card's history names another state.
        case historyDisagrees = "history_disagrees"
        /// A card went on after a final state.
        case historyImpossible = "history_impossible"
        /// A card was delivered more than once.
        case deliveredTwice = "delivered_twice"

        // MARK: Deliveries

        /// A card in delivery is not a member of exactly one open delivery.
        case deliveringAstray = "delivering_astray"
        /// A back was sent although a rule of its business number forbade it.
        case backAstray = "back_astray"
        /// A member's state does not go with that of its delivery.
        case memberState = "member_state"
        /// A back is held because its front is missing, though a front of its business number was delivered.
        case backLeftHeld = "back_left_held"
        /// A delivery has no members, or gaps in their order.
        case memberOrder = "member_order"
        /// An open delivery holds cards of different user accounts.
        case mixedAccounts = "mixed_accounts"
        /// A card with an unknown outcome has no delivery that could be sent again.
        case unknownAstray = "unknown_astray"
        /// An attempt is open on something that is not being sent.
        case attemptOpen = "attempt_open"
        /// The attempts are not numbered from 1 without gaps, or are fewer than were counted.
        case attemptGap = "attempt_gap"
        /// A delivery that may be sent has no parts.
        case partsMissing = "parts_missing"
        /// A delivery that is over still holds its parts.
        case partsLeft = "parts_left"

        /// The backend stopped at one delivery again and again, while others were not tried.
        case deliveryStuck = "delivery_stuck"
        /// Several business numbers were refused with one code, and none was taken since.
        case refusedInARow = "refused_in_a_row"
        /// A card failed while the verifier took no other.
        case failedInOutage = "failed_in_outage"

        // MARK: Rows without an owner

        /// An image without a card.
        case orphanImage = "orphan_image"
        /// A reading without a card.
        case orphanReading = "orphan_reading"
        /// A data key without a card or delivery.
        case orphanKey = "orphan_key"
        /// A source file without a card.
        case orphanSource = "orphan_source"
        /// A piece of source bytes without a card.
        case orphanPiece = "orphan_piece"
        /// The address of an image without a card.
        case orphanFetch = "orphan_fetch"
        /// The receipt of a request without a card.
        case orphanReceipt = "orphan_receipt"
        /// A card or delivery has values that are not in the clear, but no data key.
        case keyMissing = "key_missing"

        // MARK: Leases

        /// A lease names an owner that is not known, or stands where none may.
        case leaseMisplaced = "lease_misplaced"
        /// A process ended without leaving; its leases are taken back by the next run.
        case ownerDead = "owner_dead"
        /// The file of an owner that is not known.
        case ownerFileStale = "owner_file_stale"

        /// A new key was announced and is not in use.
        case keyAnnounced = "key_announced"

        // MARK: Clock

        /// The sandbox saw a later time than the clock says.
        case clockBehind = "clock_behind"
        /// Something is due later than any wait is long.
        case dueImpossible = "due_impossible"
        /// A lease lasts longer than any is given for.
        case leaseImpossible = "lease_impossible"

        // MARK: The access log

        /// The chain of the access log is broken.
        case chainBroken = "chain_broken"
        /// The access log does not hold the line that the certificate of an erasure names.
        case erasureUnlogged = "erasure_unlogged"

        // MARK: The folder

        /// Others may look into a file or folder.
        case modeOpen = "mode_open"
        /// A file that does not belong to a sandbox.
        case fileForeign = "file_foreign"
        /// A file of the sandbox belongs to another user than its folder, so that the one or the other cannot use it.
        case userDiffers = "user_differs"
        /// The copy that an upgrade has made is still there.
        case upgradeBackupLeft = "upgrade_backup_left"
        /// A restore was killed and left its copy.
        case restoreLeft = "restore_left"
        /// The write-ahead log may hold what was erased, and nobody is there to empty it.
        case logLeft = "log_left"
    }
}
