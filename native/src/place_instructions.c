#include "plan.h"

#include <arpa/inet.h>
#include <string.h>

#define APPLY(name) static const char *name(struct plan *plan, const struct slice *fields, size_t count)

enum { MOST_DAYS = 36500 };

static const char said_twice[] = "said twice";
static const char not_a_path[] = "an absolute path without `.`, `..` or `//` was expected";
static const char not_a_number[] = "a number was expected";

/* What is compared as text must have one spelling. */
static bool is_path(const struct slice *field) {
  const char *at = field->text;
  if (at[0] != '/') return false;
  if (at[1] == '\0') return true;
  while (*at) {
    at++;
    size_t length = strcspn(at, "/");
    if (!length || (at[0] == '.' && (length == 1 || (length == 2 && at[1] == '.')))) return false;
    at += length;
  }
  return true;
}

static struct operation *add(struct plan *plan, enum operation_kind kind) {
  struct places *places = &plan->places;
  places->operations =
      allot_more(places->operations, places->count, &places->capacity, sizeof *places->operations);
  struct operation *added = &places->operations[places->count++];
  *added = (struct operation){.kind = kind};
  return added;
}

static const char *add_place(struct plan *plan, enum operation_kind kind, const struct slice *fields, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!is_path(&fields[i])) return not_a_path;
  struct operation *added = add(plan, kind);
  added->path = fields[0].text;
  added->target = count > 1 ? fields[1].text : NULL;
  return NULL;
}

APPLY(apply_home) { return add_place(plan, OP_HOME, fields, count); }
APPLY(apply_layer) { return add_place(plan, OP_LAYER, fields, count); }
APPLY(apply_cut) { return add_place(plan, OP_CUT, fields, count); }
APPLY(apply_read) { return add_place(plan, OP_READ, fields, count); }
APPLY(apply_write) { return add_place(plan, OP_WRITE, fields, count); }
APPLY(apply_try_read) { return add_place(plan, OP_TRY_READ, fields, count); }
APPLY(apply_try_write) { return add_place(plan, OP_TRY_WRITE, fields, count); }
APPLY(apply_write_plain) { return add_place(plan, OP_WRITE_PLAIN, fields, count); }

APPLY(apply_write_project) {
  const char *wrong = add_place(plan, OP_WRITE_PROJECT, fields, 1);
  if (wrong) return wrong;
  struct operation *added = &plan->places.operations[plan->places.count - 1];
  for (size_t i = 1; i < count; i++) {
    const char *name = fields[i].text;
    if (!*name || strchr(name, '/') || strcmp(name, ".") == 0 || strcmp(name, "..") == 0) return "a name was expected";
    strings_add(&added->names, fields[i].text);
  }
  return NULL;
}

APPLY(apply_expose_read) { return add_place(plan, OP_EXPOSE_READ, fields, count); }
APPLY(apply_expose_write) { return add_place(plan, OP_EXPOSE_WRITE, fields, count); }
APPLY(apply_folder) { return add_place(plan, OP_FOLDER, fields, count); }

APPLY(apply_proc) {
  (void)fields, (void)count;
  add(plan, OP_PROC);
  return NULL;
}

APPLY(apply_run) {
  (void)fields, (void)count;
  add(plan, OP_RUN);
  return NULL;
}

APPLY(apply_dev) {
  struct operation *added = add(plan, OP_DEV);
  return count && !parse_number(fields[0].text, &added->size) ? not_a_number : NULL;
}

static bool parse_mode(const char *text, uint64_t *mode) {
  *mode = 0;
  for (; *text >= '0' && *text <= '7' && *mode < 01000; text++) *mode = *mode * 8 + (uint64_t)(*text - '0');
  return *text == '\0';
}

APPLY(apply_private) {
  const char *wrong = add_place(plan, OP_PRIVATE, fields, 1);
  if (wrong) return wrong;
  struct operation *added = &plan->places.operations[plan->places.count - 1];
  if (!parse_mode(fields[1].text, &added->mode)) return "an octal mode was expected";
  return count == 3 && !parse_number(fields[2].text, &added->size) ? not_a_number : NULL;
}

static const char *add_with_text(struct plan *plan, enum operation_kind kind, const struct slice *fields) {
  const char *wrong = add_place(plan, kind, fields, 1);
  if (!wrong) plan->places.operations[plan->places.count - 1].text = fields[1];
  return wrong;
}

APPLY(apply_link) { (void)count; return add_with_text(plan, OP_LINK, fields); }
APPLY(apply_data) { (void)count; return add_with_text(plan, OP_DATA, fields); }
APPLY(apply_try_data) { (void)count; return add_with_text(plan, OP_TRY_DATA, fields); }

static const char *add_paths(struct strings *list, const struct slice *fields, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (!is_path(&fields[i])) return not_a_path;
    strings_add(list, fields[i].text);
  }
  return NULL;
}

APPLY(apply_show) { return add_paths(&plan->places.show, fields, count); }
APPLY(apply_hide) { return add_paths(&plan->places.hide, fields, count); }
APPLY(apply_keep_out) { return add_paths(&plan->places.keep_out, fields, count); }
APPLY(apply_come_back) { return add_paths(&plan->places.come_back, fields, count); }
APPLY(apply_save) { return add_paths(&plan->places.save, fields, count); }
APPLY(apply_keep_read) { return add_paths(&plan->places.keep_read, fields, count); }

static const char *set_path(char **place, const struct slice *field) {
  if (*place) return said_twice;
  *place = field->text;
  return is_path(field) ? NULL : not_a_path;
}

APPLY(apply_aside) { (void)count; return set_path(&plan->places.aside, fields); }
APPLY(apply_chdir) { (void)count; return set_path(&plan->places.folder, fields); }
APPLY(apply_workspace_at) { (void)count; return set_path(&plan->places.workspace_target, fields); }

APPLY(apply_git_notes) { (void)count; return set_path(&plan->places.git_notes, fields); }

APPLY(apply_changes) {
  (void)count;
  struct places *places = &plan->places;
  if (!parse_number(fields[1].text, &places->changes_days) || places->changes_days > MOST_DAYS) return "a number of days was expected";
  if (!parse_number(fields[2].text, &places->changes_bytes)) return not_a_number;
  return set_path(&places->changes, fields);
}

/* It names a folder. */
APPLY(apply_kept) {
  (void)count;
  size_t length = fields[1].length;
  if (length < 16 || length > 64 || strspn(fields[1].text, "0123456789abcdef") != length) return "a policy's fingerprint was expected";
  plan->places.kept_policy = fields[1].text;
  return set_path(&plan->places.kept, fields);
}

APPLY(apply_quota) {
  (void)count;
  if (plan->places.quota) return said_twice;
  return parse_number(fields[0].text, &plan->places.quota) && plan->places.quota ? NULL : not_a_number;
}

static const char *set_flag(bool *flag) {
  if (*flag) return said_twice;
  *flag = true;
  return NULL;
}

APPLY(apply_show_programs) { (void)fields, (void)count; return set_flag(&plan->places.show_programs); }
APPLY(apply_mention) { (void)fields, (void)count; return set_flag(&plan->places.mention); }

APPLY(apply_network) {
  (void)count;
  if (plan->places.network != NETWORK_ON) return said_twice;
  if (strcmp(fields[0].text, "off") == 0) plan->places.network = NETWORK_OFF;
  else if (strcmp(fields[0].text, "names") == 0) plan->places.network = NETWORK_NAMES;
  else return "`off` or `names` was expected";
  return NULL;
}

APPLY(apply_listen) {
  struct places *places = &plan->places;
  for (size_t i = 0; i < count; i++) {
    uint64_t port;
    if (!parse_number(fields[i].text, &port) || !port || port > UINT16_MAX) return "a port was expected";
    if (places->port_count == MAX_PORTS) return "has too many ports";
    for (size_t j = 0; j < places->port_count; j++)
      if (places->ports[j] == port) return said_twice;
    places->ports[places->port_count++] = port;
  }
  return NULL;
}

/* Not the resolver's and the proxy's, nor those that names are given. */
APPLY(apply_local) {
  (void)count;
  struct places *places = &plan->places;
  struct in_addr address;
  uint64_t bits;
  if (inet_pton(AF_INET, fields[0].text, &address) != 1) return "an IPv4 address was expected";
  if (!parse_number(fields[1].text, &bits) || bits < 1 || bits > 32) return "a number of bits from 1 to 32 was expected";
  if (places->local_count == MAX_LOCAL) return "has too many addresses";
  uint32_t text = ntohl(address.s_addr), mask = ~UINT32_C(0) << (32 - bits);
  if ((text & ~mask) != 0) return "a network was expected";
  if ((text >> 24) == 127 || (bits < 8 && text >> 24 == (127 & mask >> 24))) return "an address that is not loopback was expected";
  places->local[places->local_count++] = (struct local){text, (unsigned)bits};
  return NULL;
}

APPLY(apply_socket) {
  (void)count;
  return plan->places.socket ? said_twice : set_path(&plan->places.socket, fields);
}

APPLY(apply_outside) {
  if (plan->places.outside.count) return said_twice;
  if (!is_path(&fields[0])) return not_a_path;
  for (size_t i = 0; i < count; i++) strings_add(&plan->places.outside, fields[i].text);
  return NULL;
}

APPLY(apply_outside_task) {
  (void)count;
  if (plan->places.outside_task.text) return said_twice;
  plan->places.outside_task = fields[0];
  return NULL;
}

APPLY(apply_outside_at) { (void)count; return set_path(&plan->places.outside_at, fields); }

APPLY(apply_certificates) {
  if (plan->places.certificates.text) return said_twice;
  plan->places.certificates = fields[0];
  return add_paths(&plan->places.bundles, fields + 1, count - 1);
}

APPLY(apply_ipc) {
  (void)count;
  return strcmp(fields[0].text, "host") == 0 ? set_flag(&plan->places.ipc_host) : "`host` was expected";
}

APPLY(apply_root) {
  (void)count;
  static const char *const words[] = {
      [ROOT_MACHINE] = "machine", [ROOT_WRITABLE] = "writable", [ROOT_EMPTY] = "empty"};
  if (plan->places.root != ROOT_UNSAID) return said_twice;
  for (enum root_kind kind = ROOT_MACHINE; kind <= ROOT_EMPTY; kind++)
    if (strcmp(fields[0].text, words[kind]) == 0) plan->places.root = kind;
  return plan->places.root == ROOT_UNSAID ? "`machine`, `writable` or `empty` was expected" : NULL;
}

APPLY(apply_workspace) {
  (void)count;
  static const char *const words[] = {
      [WORKSPACE_REAL] = "real", [WORKSPACE_ASIDE] = "aside", [WORKSPACE_READ_ONLY] = "read-only"};
  struct places *places = &plan->places;
  if (places->workspace != WORKSPACE_NONE) return said_twice;
  for (enum workspace_mode mode = WORKSPACE_REAL; mode <= WORKSPACE_READ_ONLY; mode++)
    if (strcmp(fields[1].text, words[mode]) == 0) places->workspace = mode;
  if (places->workspace == WORKSPACE_NONE) return "`real`, `aside` or `read-only` was expected";
  add(plan, OP_WORKSPACE);
  return strcmp(fields[0].text, "here") == 0 ? NULL : set_path(&places->workspace_path, fields);
}

const struct instruction place_instructions[] = {
    {WORD("hide"), 1, ANY, apply_hide},
    {WORD("show"), 1, ANY, apply_show},
    {WORD("data"), 2, 2, apply_data},
    {WORD("try-data"), 2, 2, apply_try_data},
    {WORD("read"), 1, 2, apply_read},
    {WORD("try-read"), 1, 2, apply_try_read},
    {WORD("write"), 1, 2, apply_write},
    {WORD("try-write"), 1, 2, apply_try_write},
    {WORD("write-plain"), 1, 1, apply_write_plain},
    {WORD("write-project"), 1, ANY, apply_write_project},
    {WORD("expose-read"), 1, 1, apply_expose_read},
    {WORD("expose-write"), 1, 1, apply_expose_write},
    {WORD("root"), 1, 1, apply_root},
    {WORD("cut"), 1, 1, apply_cut},
    {WORD("home"), 1, 1, apply_home},
    {WORD("layer"), 1, 1, apply_layer},
    {WORD("show-programs"), 0, 0, apply_show_programs},
    {WORD("private"), 2, 3, apply_private},
    {WORD("run"), 0, 0, apply_run},
    {WORD("workspace"), 2, 2, apply_workspace},
    {WORD("workspace-at"), 1, 1, apply_workspace_at},
    {WORD("keep-out"), 1, ANY, apply_keep_out},
    {WORD("keep-read"), 1, ANY, apply_keep_read},
    {WORD("folder"), 1, 1, apply_folder},
    {WORD("link"), 2, 2, apply_link},
    {WORD("proc"), 0, 0, apply_proc},
    {WORD("dev"), 0, 1, apply_dev},
    {WORD("network"), 1, 1, apply_network},
    {WORD("listen"), 1, ANY, apply_listen},
    {WORD("local"), 2, 2, apply_local},
    {WORD("socket"), 1, 1, apply_socket},
    {WORD("outside"), 1, MAX_OUTSIDE_WORDS, apply_outside},
    {WORD("outside-task"), 1, 1, apply_outside_task},
    {WORD("outside-at"), 1, 1, apply_outside_at},
    {WORD("certificates"), 2, ANY, apply_certificates},
    {WORD("ipc"), 1, 1, apply_ipc},
    {WORD("aside"), 1, 1, apply_aside},
    {WORD("quota"), 1, 1, apply_quota},
    {WORD("changes"), 3, 3, apply_changes},
    {WORD("git-notes"), 1, 1, apply_git_notes},
    {WORD("kept"), 2, 2, apply_kept},
    {WORD("come-back"), 1, ANY, apply_come_back},
    {WORD("save"), 1, ANY, apply_save},
    {WORD("chdir"), 1, 1, apply_chdir},
    {WORD("mention"), 0, 0, apply_mention},
};
const size_t place_instruction_count = sizeof place_instructions / sizeof *place_instructions;

const char *check_places(const struct plan *plan) {
  size_t homes = 0;
  for (size_t i = 0; i < plan->places.count; i++) homes += plan->places.operations[i].kind == OP_HOME;
  if (homes > MAX_HOMES) return "has too many `home` lines";
  if (plan->isolation != ISOLATION_FILTER && plan->places.root == ROOT_UNSAID) return "has no `root`";
  bool says_who = plan->places.outside.count || plan->places.outside_task.text;
  bool has_outside = plan->places.outside_at ? !says_who : plan->places.outside.count && plan->places.outside_task.text;
  bool says_more = says_who || plan->places.outside_at || plan->places.port_count || plan->places.local_count || plan->places.socket;
  if (plan->places.network == NETWORK_NAMES && !has_outside) return "has `network names` without `outside` and `outside-task`, or `outside-at`";
  if (plan->places.network != NETWORK_NAMES && says_more) return "has no `network names`";
  if (plan->places.workspace_target && plan->places.workspace == WORKSPACE_NONE) return "has no `workspace`";
  return NULL;
}
