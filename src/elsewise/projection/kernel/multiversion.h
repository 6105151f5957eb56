/* Compile a function for the vector units of newer processors too, chosen at load time where the toolchain can. */
#ifndef ELSEWISE_MULTIVERSION_H
#define ELSEWISE_MULTIVERSION_H

#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12 && defined(__x86_64__) && defined(__linux__)
#define MULTIVERSION __attribute__((flatten, target_clones("arch=x86-64-v3", "default")))
#else
#define MULTIVERSION
#endif

#endif
