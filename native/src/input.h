#ifndef CORDON_INPUT_H
#define CORDON_INPUT_H

/* Files that the command is given to read, as standard input above all: each comes through a mount of its own, which can only be read. */

/* While the machine's tree is in sight. */
void input_take(void);

/* For the first process inside: keeps what it needs for the end open, from this number on; the next free one. */
int input_keep_open(int first);

/* Whoever reads the same file after the command goes on where it stopped. */
void input_hand_back(void);

#endif
