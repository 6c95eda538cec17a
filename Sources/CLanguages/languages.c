#include "CLanguages.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const char zh_hans[] = {
#embed "texts/zh-Hans.json"
    , 0
};

const struct idcl_language *idcl_languages(void) {
    static const struct idcl_language all[] = {{"zh-Hans", zh_hans}, {0, 0}};
    return all;
}
