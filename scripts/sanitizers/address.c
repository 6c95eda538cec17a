// What the address sanitizer is to do, in every process of `scripts/test --sanitize address`: also in commands that tests start with
// an environment of their own. 99 is no status of ours. What Swift's runtime keeps for good (metadata, values of globals behind tagged
// pointers) looks like a leak and is none.
const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "exitcode=99:detect_leaks=0"; }
