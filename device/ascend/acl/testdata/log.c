/* Libraries that others of the fake CANN need, as CANN's need many: libfakelog.so and, with
   -DWRAP, libfakewrap.so, which needs it in turn. */
#ifdef WRAP
extern int fakeLog(const char *);
int fakeWrap(const char *text) { return fakeLog(text); }
#else
int fakeLog(const char *text) { return text != 0; }
#endif
