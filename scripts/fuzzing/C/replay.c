/// Plays the files that are named, a whole corpus, through a target without libFuzzer.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int main(int count, char **paths) {
  static uint8_t bytes[1 << 16];
  for (int i = 1; i < count; i++) {
    FILE *file = fopen(paths[i], "rb");
    if (file == NULL) return fprintf(stderr, "cannot read %s\n", paths[i]), 2;
    size_t length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    fprintf(stderr, "%s\n", paths[i]);  // the last one is the culprit
    // A copy of the right size, so that a sanitizer sees what is read behind it.
    uint8_t *input = malloc(length > 0 ? length : 1);
    if (input == NULL) return 2;
    for (size_t at = 0; at < length; at++) input[at] = bytes[at];
    LLVMFuzzerTestOneInput(input, length);
    free(input);
  }
  return 0;
}
