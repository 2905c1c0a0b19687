// Read before everything else when compiling for musl (-include): what libstdc++'s
// headers, configured for glibc, ask of the C library.
#pragma once

#include <features.h>
#include <locale.h>

#define __GLIBC_PREREQ(major, minor) 0
#define __locale_t locale_t

#include <bits/c++config.h>

// Templates are instantiated here, not taken from libstdc++.a.
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE 0
#undef _GLIBCXX_USE_PTHREAD_COND_CLOCKWAIT
#undef _GLIBCXX_USE_PTHREAD_MUTEX_CLOCKLOCK
#undef _GLIBCXX_USE_PTHREAD_RWLOCK_CLOCKLOCK
