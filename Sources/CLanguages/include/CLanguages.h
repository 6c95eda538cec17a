#ifndef CLANGUAGES_H
#define CLANGUAGES_H

// The texts of a language: one flat JSON object, from the id of a message to its text, ended by a zero byte.
const char *idcl_zh_hans(void);

#endif
