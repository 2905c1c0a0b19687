// Takes a block for each of many frames, writes it, and gives it back, as a video filter does.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { frames = 2000, size = 256 * 1024 };

int main(void) {
	unsigned long sum = 0;
	for (int i = 0; i < frames; i++) {
		unsigned char *frame = malloc(size);
		if (!frame)
			return 1;
		memset(frame, i, size);
		sum += frame[i % size];
		free(frame);
	}
	printf("%lu\n", sum);
	return 0;
}
