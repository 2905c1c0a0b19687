# A toolchain for static musl programs: the system's g++ with the headers and the C
# library of Debian's musl-tools. There is no C++ library for musl in Debian: of
# libstdc++ only what stands in headers is used, and cmake/musl_support.cpp has the
# few functions that those call.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_CXX_COMPILER g++)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(MEMCOST_MUSL ON)

execute_process(COMMAND g++ -dumpversion OUTPUT_VARIABLE version OUTPUT_STRIP_TRAILING_WHITESPACE)
string(REGEX REPLACE "\\..*" "" version "${version}")
set(headers "-isystem /usr/include/c++/${version} -isystem /usr/include/x86_64-linux-gnu/c++/${version} -isystem /usr/include/c++/${version}/backward")

# The kernel's own headers, which musl-tools leaves out, without glibc's beside them.
set(kernel "${CMAKE_BINARY_DIR}/kernel-headers")
file(MAKE_DIRECTORY "${kernel}")
file(CREATE_LINK /usr/include/linux "${kernel}/linux" SYMBOLIC)
file(CREATE_LINK /usr/include/asm-generic "${kernel}/asm-generic" SYMBOLIC)
file(CREATE_LINK /usr/include/x86_64-linux-gnu/asm "${kernel}/asm" SYMBOLIC)

set(CMAKE_CXX_FLAGS_INIT "-specs=/usr/lib/x86_64-linux-musl/musl-gcc.specs -nostdinc++ -include ${CMAKE_CURRENT_LIST_DIR}/musl_headers.h ${headers} -isystem ${kernel} -fno-threadsafe-statics -fno-pie")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-no-pie -nodefaultlibs -L/usr/lib/x86_64-linux-musl")
set(CMAKE_CXX_STANDARD_LIBRARIES_INIT "-Wl,--start-group -lc -lgcc -Wl,--end-group")
