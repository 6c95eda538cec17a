#include "jpeg_context.h"

#include <jerror.h>
#include <stdarg.h>
#include <string.h>

#include "../call_limits.h"

static idci_jpeg_context *context_of(j_common_ptr jpeg) {
    return (idci_jpeg_context *)jpeg->err;
}

// A frame header of height 0 announces a DNL segment after the first scan (ITU-T T.81, B.2.5), which libjpeg does not
// read.
static bool has_no_height(j_common_ptr jpeg) {
    if (!jpeg->is_decompressor) return false;
    j_decompress_ptr decoder = (j_decompress_ptr)jpeg;
    return decoder->image_width > 0 && decoder->image_height == 0;
}

static idci_status status_of_error(j_common_ptr jpeg) {
    switch (jpeg->err->msg_code) {
    case JERR_EMPTY_IMAGE:
        return has_no_height(jpeg) ? IDCI_NO_HEIGHT : IDCI_CORRUPT;
    case JERR_OUT_OF_MEMORY:
        return IDCI_OUT_OF_MEMORY;
    case JERR_NO_BACKING_STORE:  // libjpeg-turbo: max_memory_to_use does not suffice.
        return IDCI_TOO_MUCH_MEMORY;
    case JERR_INPUT_EOF:
    case JERR_INPUT_EMPTY:
        return IDCI_TRUNCATED;
    case JERR_IMAGE_TOO_BIG:
    case JERR_WIDTH_OVERFLOW:
        return IDCI_EDGE_TOO_LONG;
    case JERR_SOF_UNSUPPORTED:
    case JERR_BAD_PRECISION:
    case JERR_COMPONENT_COUNT:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_FRACT_SAMPLE_NOTIMPL:
    case JERR_CCIR601_NOTIMPL:
    case JERR_ARITH_NOTIMPL:
    case JERR_NOTIMPL:
    case JERR_NOT_COMPILED:
        return IDCI_UNSUPPORTED;
    case JERR_BAD_STATE:
    case JERR_BAD_STRUCT_SIZE:
    case JERR_BAD_LIB_VERSION:
    case JERR_BAD_ALIGN_TYPE:
    case JERR_BAD_ALLOC_CHUNK:
    case JERR_BAD_POOL_ID:
    case JERR_BAD_VIRTUAL_ACCESS:
    case JERR_BUFFER_SIZE:
    case JERR_CANT_SUSPEND:
    case JERR_MISSING_DATA:
    case JERR_MODE_CHANGE:
    case JERR_VIRTUAL_BUG:
        return IDCI_INTERNAL;
    default:
        return IDCI_CORRUPT;
    }
}

static void copy_libjpegs_text(j_common_ptr jpeg) {
    idci_jpeg_context *context = context_of(jpeg);
    char text[JMSG_LENGTH_MAX];
    jpeg->err->format_message(jpeg, text);
    idci_write_message(context->message, context->message_capacity, text);
}

static void error_exit(j_common_ptr jpeg) {
    idci_jpeg_context *context = context_of(jpeg);
    context->status = status_of_error(jpeg);
    copy_libjpegs_text(jpeg);
    longjmp(context->escape, 1);
}

static void output_message(j_common_ptr jpeg) {
    (void)jpeg;  // The handler of libjpeg would print to standard error.
}

static bool loses_picture_data(int code) {
    switch (code) {
    case JWRN_HIT_MARKER:        // A marker within entropy-coded data: the remaining blocks would become grey.
    case JWRN_MUST_RESYNC:       // Restart markers out of order: blocks are missing.
    case JWRN_HUFF_BAD_CODE:
    case JWRN_JPEG_EOF:          // Never set by our source, which fails instead.
    case JWRN_BOGUS_PROGRESSION:
        return true;
    default:
        return false;
    }
}

static void emit_message(j_common_ptr jpeg, int level) {
    if (level >= 0) return;  // Trace output.
    jpeg->err->num_warnings += 1;
    if (!loses_picture_data(jpeg->err->msg_code)) return;

    idci_jpeg_context *context = context_of(jpeg);
    bool at_end = jpeg->is_decompressor && ((j_decompress_ptr)jpeg)->unread_marker == JPEG_EOI;
    context->status = at_end ? IDCI_TRUNCATED : IDCI_CORRUPT;
    copy_libjpegs_text(jpeg);
    longjmp(context->escape, 1);
}

struct jpeg_error_mgr *idci_jpeg_context_prepare(
    idci_jpeg_context *context, char *message, size_t message_capacity, uint32_t max_milliseconds
) {
    memset(context, 0, sizeof *context);
    jpeg_std_error(&context->manager);
    context->manager.error_exit = error_exit;
    context->manager.output_message = output_message;
    context->manager.emit_message = emit_message;
    context->message = message;
    context->message_capacity = message_capacity;
    idci_write_message(message, message_capacity, "");
    context->deadline = idci_deadline(max_milliseconds);
    return &context->manager;
}

void idci_jpeg_fail(j_common_ptr jpeg, idci_status status, const char *format, ...) {
    idci_jpeg_context *context = context_of(jpeg);
    context->status = status;
    if (context->message != NULL && context->message_capacity > 0) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(context->message, context->message_capacity, format, arguments);
        va_end(arguments);
    }
    longjmp(context->escape, 1);
}

void idci_jpeg_check_deadline(j_common_ptr jpeg) {
    if (idci_has_passed(context_of(jpeg)->deadline)) {
        idci_jpeg_fail(jpeg, IDCI_TOO_SLOW, "decoding took longer than allowed");
    }
}
