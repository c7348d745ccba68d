#include "base.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FIRST_SIZE = 256 * 1024, BLOCK_SIZE = 1024 * 1024, ALIGNMENT = 16 };

struct block {
  struct block *next;
  size_t used, size;
  char *bytes;
};

/* Most plans fit into pages that lie beside the program's own data, which costs far less than a heap. */
static _Alignas(ALIGNMENT) char first_bytes[FIRST_SIZE];
static struct block first = {.size = FIRST_SIZE, .bytes = first_bytes};
static struct block *blocks = &first;

static struct block *add_block(size_t at_least) {
  size_t size = at_least > BLOCK_SIZE ? at_least : BLOCK_SIZE;
  struct block *block = malloc(sizeof *block);
  char *bytes = block ? malloc(size) : NULL;
  if (!bytes) refuse("out of memory", NULL);
  *block = (struct block){.next = blocks, .size = size, .bytes = bytes};
  blocks = block;
  return block;
}

void *allot(size_t count, size_t size) {
  if (size && count > (SIZE_MAX - ALIGNMENT) / size) refuse("out of memory", NULL);
  size_t wanted = (count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  struct block *block = blocks;
  if (block->size - block->used < wanted) block = add_block(wanted);
  void *found = block->bytes + block->used;
  block->used += wanted;
  return found;
}

char *allot_text(const char *text, size_t length) {
  char *copy = allot(length + 1, 1);
  memcpy(copy, text, length);
  copy[length] = '\0';
  return copy;
}

/* Room for one more behind `count` items; the outgrown array stays in its block until all is wiped. */
void *allot_more(void *items, size_t count, size_t *capacity, size_t size) {
  if (count < *capacity) return items;
  size_t larger = *capacity ? *capacity * 2 : 16;
  void *moved = allot(larger, size);
  if (count) memcpy(moved, items, count * size);
  *capacity = larger;
  return moved;
}

void strings_add(struct strings *list, char *item) {
  list->items = allot_more(list->items, list->count, &list->capacity, sizeof *list->items);
  list->items[list->count++] = item;
}

void wipe_allotted(void) {
  for (struct block *block = blocks; block; block = block->next) explicit_bzero(block->bytes, block->used);
}

static void drop(char *bytes, size_t length) {
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)bytes, end = start + length;
  uintptr_t from = (start + page - 1) / page * page, to = end / page * page;
  if (from >= to || madvise((void *)from, to - from, MADV_DONTNEED) != 0) {
    explicit_bzero(bytes, length);
    return;
  }
  explicit_bzero(bytes, from - start);
  explicit_bzero((void *)to, end - to);
}

void drop_allotted(void) {
  for (struct block *block = blocks; block; block = block->next) drop(block->bytes, block->used);
}

void free_allotted(void) {
  while (blocks != &first) {
    struct block *block = blocks;
    blocks = block->next;
    free(block->bytes);
    free(block);
  }
  first.used = 0;
}

/* The strings themselves, where /proc/PID/environ reads them: clearing the pointers would hide nothing. */
void wipe_strings(char **block) {
  for (; *block; block++) explicit_bzero(*block, strlen(*block));
}

static char **own_arguments;

void keep_arguments(char **argv) { own_arguments = argv; }

void wipe_arguments(void) {
  if (own_arguments) wipe_strings(own_arguments);
}
