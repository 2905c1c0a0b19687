// Makes malloc and free calls with work between them, at about 10 million a second, for the
// benchmark of what counting costs: rate PAIRS WORK LIVE.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
	long pairs = argc > 1 ? atol(argv[1]) : 5000000, work = argc > 2 ? atol(argv[2]) : 40;
	long live = argc > 3 ? atol(argv[3]) : 1000;
	char **blocks = calloc((size_t)live, sizeof *blocks);
	uint64_t x = 88172645463325252u, sum = 0;
	for (long i = 0; i < pairs; i++) {
		for (long j = 0; j < work; j++) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
		}
		long at = (long)(x % (uint64_t)live);
		free(blocks[at]);
		blocks[at] = malloc(16 + (x >> 32) % 240);
		blocks[at][0] = (char)x;
		sum += (uint64_t)blocks[at][0];
	}
	printf("%llu\n", (unsigned long long)sum);
	return 0;
}
