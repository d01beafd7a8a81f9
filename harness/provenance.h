/* provenance.h - which build ran, on what, under what: facts of this process.
 *
 * Hashes and device names only: no host name and no absolute path, so that what
 * is exported can be published. Texts are canonical JSON of database rows. */
#ifndef RK_HARNESS_PROVENANCE_H
#define RK_HARNESS_PROVENANCE_H

#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"

RK_C_BEGIN

typedef struct rk_provenance {
    const char *host_json;  /* row of `host` */
    const char *build_json; /* row of `build` */
    const char *env_json;   /* row of `env` */
    const char *argv_json;  /* array; absolute paths reduced to base names */
    const char *boot_id;    /* NULL where the system has none */
    int64_t pid;
    int64_t pid_start_ticks; /* since boot; tells a reused pid from its first owner */
} rk_provenance;

/* Reads /proc and hashes the running binary. All memory in `arena`. Facts the
 * system does not tell are left out; only memory and the binary's own hash can
 * fail. */
rk_status rk_provenance_collect(int argc, char *const *argv, rk_arena *arena, rk_provenance *out,
                                rk_error *err);

/* Start time of a process in clock ticks since boot; -1 when it is not alive. */
int64_t rk_provenance_start_ticks(int64_t pid);
/* This boot's id in `text` (at least 40 bytes); "" where the system has none. */
void rk_provenance_boot_id(char *text, size_t size);

RK_C_END

#endif
