#ifndef CORDON_COME_BACK_H
#define CORDON_COME_BACK_H

#include "base.h"

/*
 * What comes back: caches and agents' settings that a command wrote lie under the next launch of the same policy in the same
 * workspace, and under no other. Each launch adds a layer of its own and never changes one that may be in use; layers are merged when
 * nobody uses them. The way to them is spelled out, so that no two workspaces can be taken for one another:
 *   FOLDER/kept-1/POLICY/+home/+ada/+project/d-TIME-PID/home/ada/.npm/…
 */
enum { MOST_LAYERS_BACK = 8, ROOM_OF_A_NAME = 512 };

struct come_back_place {
  char *folder, *policy, *workspace;
};

/* Those that lie under a launch, newest first; `lock` keeps them as they are while it is open, and is -1 where there are none. */
struct come_back_layers {
  int lock;
  int folders[MOST_LAYERS_BACK];
  size_t count;
};
void come_back_open(struct come_back_layers *layers, const struct come_back_place *place);

/* The layer that a launch adds. */
struct come_back {
  const struct come_back_place *place;
  int key, folder;
  char name[48];
  uint64_t bytes, room;
  bool failed;
};
void come_back_begin(struct come_back *kept, const struct come_back_place *place, uint64_t room);
/* The layer's folder, made when it is first asked for; -1 where it cannot be. */
int come_back_folder(struct come_back *kept);
void come_back_finish(struct come_back *kept);
/* Removes what nobody has used for so many days. */
void come_back_sweep(const char *folder, uint64_t days);

#endif
