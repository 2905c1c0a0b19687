#include "textflag.h"

// The program of starter_linux.go: no call, no data, no stack but below the words that the kernel puts there, so that
// its bytes run at any address. Registers that a system call keeps: R12 the words (argc, argv, NULL, envp), R13 what is
// sent (status of the start, pid; begin and end; status of the process, its usage), R14 the process.
TEXT ·startAndWait(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ SP, R12
	LEAQ -1024(R12), R13
	XORQ R14, R14
	MOVQ R14, 0(R13)
	MOVQ R14, 8(R13)
	MOVQ R14, 80(R13)
	MOVQ $72, AX // fcntl(3, F_SETFD, FD_CLOEXEC)
	MOVQ $3, DI
	MOVQ $2, SI
	MOVQ $1, DX
	SYSCALL
	MOVQ $228, AX // clock_gettime(CLOCK_MONOTONIC, begin)
	MOVQ $1, DI
	LEAQ 16(R13), SI
	SYSCALL
	MOVQ $56, AX // clone(CLONE_VM|CLONE_VFORK|SIGCHLD): no page is copied
	MOVQ $0x4111, DI
	XORQ SI, SI
	XORQ DX, DX
	XORQ R10, R10
	XORQ R8, R8
	SYSCALL
	TESTQ AX, AX
	JNE parent

	MOVQ $109, AX // setpgid(0, 0)
	XORQ DI, DI
	XORQ SI, SI
	SYSCALL
	MOVQ $157, AX // prctl(PR_SET_PDEATHSIG, SIGKILL)
	MOVQ $1, DI
	MOVQ $9, SI
	SYSCALL
	MOVQ $59, AX // execve(argv[0], argv+1, envp)
	MOVQ 8(R12), DI
	LEAQ 16(R12), SI
	MOVQ 0(R12), R10
	LEAQ 16(R12)(R10*8), DX
	SYSCALL
	NEGQ AX
	MOVQ AX, 0(R13) // the parent's memory: why not
	MOVQ $231, AX // exit_group(127)
	MOVQ $127, DI
	SYSCALL

parent:
	JGT started
	NEGQ AX
	MOVQ AX, 0(R13)
	XORQ AX, AX
started:
	MOVQ AX, R14
	MOVQ R14, 8(R13)
	MOVQ $3, AX // close(0), close(1), close(2): the process alone has them
	XORQ DI, DI
	SYSCALL
	MOVQ $3, AX
	MOVQ $1, DI
	SYSCALL
	MOVQ $3, AX
	MOVQ $2, DI
	SYSCALL
	MOVQ $1, AX // write(3, status of the start and pid)
	MOVQ $3, DI
	MOVQ R13, SI
	MOVQ $16, DX
	SYSCALL
	MOVQ 0(R13), R10
	TESTQ R10, R10
	JNE reap
wait:
	MOVQ $247, AX // waitid(P_PID, pid, NULL, WEXITED|WNOWAIT, NULL)
	MOVQ $1, DI
	MOVQ R14, SI
	XORQ DX, DX
	MOVQ $0x1000004, R10
	XORQ R8, R8
	SYSCALL
	CMPQ AX, $-4
	JEQ wait
	MOVQ $228, AX // clock_gettime(CLOCK_MONOTONIC, end)
	MOVQ $1, DI
	LEAQ 32(R13), SI
	SYSCALL
	MOVQ $1, AX // write(3, begin and end)
	MOVQ $3, DI
	LEAQ 16(R13), SI
	MOVQ $32, DX
	SYSCALL
	MOVQ $0, AX // read(3): until its number may be given to another
	MOVQ $3, DI
	LEAQ 64(R13), SI
	MOVQ $1, DX
	SYSCALL
reap:
	MOVQ $61, AX // wait4(pid, status, 0, usage)
	MOVQ R14, DI
	LEAQ 80(R13), SI
	XORQ DX, DX
	LEAQ 88(R13), R10
	SYSCALL
	MOVQ $1, AX // write(3, status and usage)
	MOVQ $3, DI
	LEAQ 80(R13), SI
	MOVQ $152, DX
	SYSCALL
	MOVQ $231, AX // exit_group(0)
	XORQ DI, DI
	SYSCALL
	BYTE $0x4d; BYTE $0x43; BYTE $0x2d; BYTE $0x45; BYTE $0x4e; BYTE $0x44; BYTE $0x2d; BYTE $0x21 // "MC-END-!"

// func startAndWaitAt() uintptr
TEXT ·startAndWaitAt(SB), NOSPLIT, $0-8
	LEAQ ·startAndWait(SB), AX
	MOVQ AX, ret+0(FP)
	RET
