/* reports_lexicon.h - the closed vocabulary of the tiny model's world: every word
 * with its leading blank is one token of that model (data/models/tiny). */
#ifndef RK_DATA_REPORTS_LEXICON_H
#define RK_DATA_REPORTS_LEXICON_H

#include <stdint.h>

#include "base/c_linkage.h"

RK_C_BEGIN

typedef enum rk_reports_pool {
    RK_REPORTS_NAMES, /* people */
    RK_REPORTS_BOXES,
    RK_REPORTS_ITEMS,
    RK_REPORTS_COLORS,
    RK_REPORTS_MATERIALS,
    RK_REPORTS_OBJECTS,
    RK_REPORTS_CITIES,
    RK_REPORTS_COMPANIES,
    RK_REPORTS_ALIASES,
    RK_REPORTS_ADJECTIVES,
    RK_REPORTS_NOUNS,
    RK_REPORTS_VERBS,
    RK_REPORTS_ADVERBS,
    RK_REPORTS_POOLS
} rk_reports_pool;

typedef struct rk_word_pool {
    const char *const *word; /* [words] all different */
    int32_t words;
} rk_word_pool;

const rk_word_pool *rk_reports_words(rk_reports_pool pool);

RK_C_END

#endif
