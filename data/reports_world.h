/* reports_world.h - one world of facts, told in documents of sentences.
 *
 * People with a city, a thing, a code, an employer and a door; boxes that hold an
 * item or "the same thing as" a box of an earlier document (chains of up to four
 * links); code words for colours that are redefined, and doors painted in what a
 * code word meant when the door was told. A link's or a door's source always lies
 * in an earlier document, so no document can be read alone for it. Filler
 * sentences take the rest. The specification is models/tiny/training/world.py with
 * the settings of its evaluation (cross = True, density .95, levels .28 .22 .20
 * .16 .14); frequencies are compared with it in test_reports.c. */
#ifndef RK_DATA_REPORTS_WORLD_H
#define RK_DATA_REPORTS_WORLD_H

#include "base/arena.h"
#include "base/rng.h"
#include "base/status.h"

RK_C_BEGIN

/* A person with what is told of them: the lists below share the order of people. */
typedef struct rk_reports_person_fact {
    const char *person;
    const char *value[3]; /* city; material, object; three digits; alias */
    int32_t sentence;     /* where it is told */
} rk_reports_person_fact;

typedef struct rk_reports_box {
    const char *label, *item;
    int32_t level;  /* links down to the box that names its item */
    int32_t source; /* the box it refers to; meaningless at level 0 */
    int32_t sentence;
} rk_reports_box;

typedef struct rk_reports_meaning {
    const char *alias, *color;
    int32_t sentence;
    int32_t previous; /* the definition of the same alias before it, or -1 */
    int32_t is_last;  /* no later one */
    int32_t crosses;  /* an earlier document defines it too */
} rk_reports_meaning;

typedef struct rk_reports_door {
    const char *person, *alias, *color;
    int32_t meaning; /* the definition in force when the door is told */
    int32_t askable; /* that definition lies in an earlier document */
    int32_t sentence;
} rk_reports_door;

typedef struct rk_reports_employment {
    const char *person;
    int32_t company; /* index into `company` */
    int32_t sentence;
} rk_reports_employment;

typedef struct rk_reports_company {
    const char *name, *city;
    int32_t sentence;
} rk_reports_company;

typedef struct rk_reports_world {
    int32_t sentences, documents;
    const char **text;                           /* [sentences] without the blank in front */
    int32_t *document;                           /* [sentences] non-decreasing, from 0 */
    rk_reports_person_fact *lives, *owns, *code; /* owns[i] and lives[i] are one person */
    rk_reports_box *box;                         /* told in this order */
    rk_reports_meaning *meaning;                 /* told in this order */
    rk_reports_door *door;
    rk_reports_employment *works;
    rk_reports_company *company;
    int32_t lives_n, owns_n, code_n, boxes, meanings, doors, works_n, companies;
} rk_reports_world;

/* Draws a world of `sentences` (>= 9) in documents of low..high sentences (the last
 * may be cut). All memory in `arena`. */
rk_status rk_reports_world_draw(rk_rng *rng, int32_t sentences, int32_t low, int32_t high,
                                rk_arena *arena, rk_reports_world *out, rk_error *err);

/* "{0}" .. "{4}" of `form` replaced by the words; NULL with `err` on failure. */
char *rk_reports_render(const char *form, const char *const *word, rk_arena *arena, rk_error *err);

RK_C_END

#endif
