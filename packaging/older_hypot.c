/* Linked into wheels with -Wl,--wrap=hypot: hypot of glibc 2.35 is the only function that would keep them from running with 2.34. */
__asm__(".symver older_hypot, hypot@GLIBC_2.2.5");
double older_hypot(double x, double y);

double __wrap_hypot(double x, double y) {
  return older_hypot(x, y);
}
