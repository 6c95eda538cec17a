#ifndef CLANGUAGES_H
#define CLANGUAGES_H

// A language besides English: its tag (BCP 47), and its texts as one flat JSON object, from the id of a message to its text.
struct idcl_language {
    const char *tag, *texts;
};

// All of them, ended by one without a tag.
const struct idcl_language *idcl_languages(void);

#endif
