/*
 * Runs many cases through the parser and the rules, for comparison with the TypeScript side.
 *
 * Input, until it ends: u32 length and text of a plan, u32 length and bytes of an environment block whose entries
 * each end in NUL. Output for each case: u32 count, then for each entry u8 outcome (enum outcome), u8 kind of the rule
 * (enum rule_kind, 255 for none) and u32 the rule's place among those of its kind as written. A plan that is refused
 * gives the count 0xffffffff and no entries. Numbers are in native byte order.
 */
#include "env.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static jmp_buf refused;

static void escape(void) { longjmp(refused, 1); }

static bool read_block(struct slice *block) {
  uint32_t length;
  if (fread(&length, sizeof length, 1, stdin) != 1) return false;
  block->text = malloc((size_t)length + 1);
  block->length = length;
  if (!block->text || fread(block->text, 1, length, stdin) != length) exit(EXIT_OWN_FAILURE);
  block->text[length] = '\0';
  return true;
}

static void write_number(uint32_t number) { fwrite(&number, sizeof number, 1, stdout); }

static char **split(struct slice block) {
  struct strings entries = {0};
  for (size_t at = 0; at < block.length; at += strlen(block.text + at) + 1) strings_add(&entries, block.text + at);
  strings_add(&entries, NULL);
  return entries.items;
}

static void write_decisions(const struct sealed_env *env) {
  write_number((uint32_t)env->decision_count);
  for (size_t i = 0; i < env->decision_count; i++) {
    const struct decision *decision = &env->decisions[i];
    putchar((int)decision->outcome);
    putchar(decision->rule ? (int)decision->rule->kind : 255);
    write_number(decision->rule ? decision->rule->number : 0);
  }
}

static void run_case(struct slice text, struct slice block) {
  struct plan plan;
  struct sealed_env env;
  if (setjmp(refused)) {
    write_number(UINT32_MAX);
    return;
  }
  plan_parse(&plan, text);
  seal_env(&env, &plan, split(block));
  write_decisions(&env);
}

int main(void) {
  struct slice plan, block;
  on_refusal = escape;
  while (read_block(&plan) && read_block(&block)) {
    run_case(plan, block);
    free_allotted();
    free(plan.text);
    free(block.text);
  }
  return 0;
}
