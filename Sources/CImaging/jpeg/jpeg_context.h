// The setjmp boundary: error manager, message buffer and deadline shared by decoder and encoder.

#ifndef IDCI_JPEG_CONTEXT_H
#define IDCI_JPEG_CONTEXT_H

#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>

#include "idci_jpeg.h"

#ifndef JCS_EXTENSIONS
#error "libjpeg-turbo is required: it decodes to four-byte pixels (JCS_EXT_RGBX)"
#endif

typedef struct {
    struct jpeg_error_mgr manager;  // First, so that libjpeg's pointer to it is a pointer to the whole.
    jmp_buf escape;
    idci_status status;
    char *message;
    size_t message_capacity;
    int64_t deadline;
} idci_jpeg_context;

// Fills the context; returns the error manager for libjpeg's struct. The caller then calls setjmp on `escape`.
struct jpeg_error_mgr *idci_jpeg_context_prepare(
    idci_jpeg_context *context, char *message, size_t message_capacity, uint32_t max_milliseconds);

// Aborts the running call with a status and a message. Never returns.
void idci_jpeg_fail(j_common_ptr jpeg, idci_status status, const char *format, ...)
    __attribute__((noreturn, format(printf, 3, 4)));

// Aborts the running call when its deadline has passed.
void idci_jpeg_check_deadline(j_common_ptr jpeg);

#endif
