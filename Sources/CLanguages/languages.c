#include "CLanguages.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

const char *idcl_zh_hans(void) {
    static const char texts[] = {
#embed "zh-Hans.json"
        , 0
    };
    return texts;
}
