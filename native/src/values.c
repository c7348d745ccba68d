#include "rules.h"

#include <string.h>

static const char zone_folder[] = "/usr/share/zoneinfo/";
enum { LONGEST_ZONE = 4096 };

/* Shells before the Shellshock fixes run such a value as code when they start. */
bool value_is_function(const char *value) { return strncmp(value, "() {", 4) == 0; }

static bool steers_files(const char *value) { return value[strcspn(value, "/%")] != '\0'; }

static bool has_unprintable(const char *value) {
  for (; *value; value++)
    if (*value <= ' ' || *value > '~') return true;
  return false;
}

static bool zone_is_unsafe(const char *value) {
  const char *path = *value == ':' ? value + 1 : value;
  if (*path == '/' && strncmp(path, zone_folder, sizeof zone_folder - 1) != 0) return true;
  return strstr(value, "..") || strchr(value, '%') || has_unprintable(value) || strlen(value) > LONGEST_ZONE;
}

bool value_is_unsafe(enum value_check check, const char *value) {
  return check == CHECK_TZ ? zone_is_unsafe(value) : steers_files(value);
}
